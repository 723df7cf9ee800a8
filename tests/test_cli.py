"""The command line as people and scripts meet it: real processes, exit codes, one line of complaint, pipes, Ctrl-C."""

import asyncio
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

import bolzplatz.games.dribbel_fieber
from bolzplatz import game_names, load_game
from bolzplatz.core.record import HAND_DICE, read_record, record_of, replay_record, verify_record, write_record
from bolzplatz.core.texts import LANGUAGES

COMMAND = [sys.executable, "-m", "bolzplatz"]
SECONDS = 180  # nothing here takes long; this only ends what hangs
PATIENCE = 15
"""Seconds after which Ctrl-C was not heard: a busy machine is slow to answer, and another one would break that off."""
QUICK_MATCH = ["pass", "pass", "10", "foul", "referee black", "pass", "pass", "10"]
"""Bar-Bolz: seat 0 scores twice, seat 1 is sent off in between (RULINGS B21)."""


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
    return {**kept, "LANG": "C.UTF-8", "NO_COLOR": "1", **more}


def command(*arguments, typed="", **more):
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=typed,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=SECONDS,
        env=environment(**more),
    )


def answer(*arguments, typed="", **more):
    done = command(*arguments, typed=typed, **more)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture(scope="module")
def proven(tmp_path_factory):
    """The record of a whole match of 5050 that was played through a pipe."""
    file = tmp_path_factory.mktemp("records") / "match.bolz"
    answer("play", "5050", "--seats", "me:Mia,child:Robby", "--set", "target=1000", "--record", file, typed="1\n" * 500)
    return file


@pytest.fixture
def by_hand(tmp_path):
    file = tmp_path / "hand.bolz"
    state = load_game("bar-bolz").new_initial_state().play(*QUICK_MATCH)
    file.write_text(write_record(record_of(state, ["Mia", "Ben"], HAND_DICE)), encoding="utf-8")
    return file


# --- help, games, rules -------------------------------------------------------------------------------------------


def test_help_lists_the_commands_that_exist():
    shown = answer("--help")
    listed = re.findall(r"^ {4}([a-z]+) {2,}\S", shown, re.MULTILINE)
    commands = "serve play games rules verify replay simulate report solve coach bench puzzle"
    assert listed == commands.split()
    assert answer() == shown
    for name in listed:
        assert f"Usage: bolzplatz {name}" in answer(name, "--help")


def test_version():
    import bolzplatz

    assert answer("--version") == f"bolzplatz {bolzplatz.__version__}\n"


def test_games_for_people_and_programs():
    games = {game["name"]: game for game in json.loads(answer("games", "--json"))["games"]}
    assert list(games) == game_names()
    players = {name: (game["min_players"], game["max_players"]) for name, game in games.items()}
    assert players.items() >= {"5050": (2, 10), "bar-bolz": (2, 16)}.items()
    shown = answer("games")
    assert all(re.search(rf"^ *{name} ", shown, re.MULTILINE) for name in games)
    one = json.loads(answer("games", "5050", "--json"))
    assert one == games["5050"]
    assert one["levels"] == ["random", "child", "casual", "adult", "keen", "good", "optimal"]
    defaults = {option["name"]: option["default"] for option in one["options"]}
    assert defaults == load_game("5050").options
    shown = answer("games", "5050")
    assert all(name in shown for name in defaults)


def test_small_commands_import_nothing_heavy():
    script = (
        "import sys; from bolzplatz.cli.main import main; "
        "codes = [main(words.split()) for words in ('games', 'rules 5050')]; "
        "heavy = {'numpy', 'numba', 'starlette', 'uvicorn', 'joblib', 'matplotlib'} & set(sys.modules); "
        "print(codes, heavy, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=SECONDS)
    assert done.stderr == "[0, 0] set()\n"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", ["5050", "bar-bolz"])
def test_rules_are_the_pages_of_the_documentation(game, language):
    page = (Path(__file__).parent.parent / "docs" / "rules" / f"{game}.{language}.md").read_text(encoding="utf-8")
    assert answer("rules", game, "--lang", language) == page
    told = json.loads(answer("rules", game, "--lang", language, "--json"))
    assert (told["game"], told["language"], told["text"]) == (game, language, page)


def test_language_of_the_environment_is_taken():
    assert answer("rules", "5050", LANG="de_DE.UTF-8") == answer("rules", "5050", "--lang", "de")


# --- bad input ----------------------------------------------------------------------------------------------------

BAD = [
    ("frobnicate", "frobnicate"),
    ("games --frob", "--frob"),
    ("games chess", "chess"),
    ("rules chess", "chess"),
    ("rules 5050 --lang es", "es"),
    ("play", "GAME"),
    ("play chess", "chess"),
    ("play 5050 --seats me,goood", "goood"),
    ("play bar-bolz --seats me,good,good", "seats"),
    ("play 5050 --seats me:Mia,me:mia", "mia"),
    ("play 5050 --set players", "players"),
    ("play 5050 --set players=1", "players"),
    ("play 5050 --set players=--3", "players"),
    ("play 5050 --set players=2 --set players=3", "twice"),
    ("play 5050 --set colour=red", "colour"),
    ("play 5050 --dice loaded", "loaded"),
    ("play 5050 --record no/folder/m.bolz", "no/folder/m.bolz"),
    ("play 5050 --record .", "exists"),
    ("verify no-such-file", "no-such-file"),
    ("verify .", "directory"),
    ("verify text.txt", "record"),
    ("verify bytes.bin", "record"),
    ("replay no-such-file", "no-such-file"),
    ("replay text.txt", "record"),
    ("replay cut.bolz", "cut.bolz, end"),
    ("replay move.bolz", "move 3"),
    ("replay game.bolz", "chess"),
    ("replay utf8.bolz", "UTF-8"),
    ("replay good.bolz --at 9", "8"),
    ("replay good.bolz --at -1", "--at"),
    ("simulate chess", "chess"),
    ("simulate 5050 --policies good,clever", "clever"),
    ("simulate 5050 --policies good,good,good --set players=2", "2 seats"),
    ("simulate 5050 --matches 0", "--matches"),
    ("simulate 5050 --matches many", "many"),
    ("simulate 5050 --seed x", "--seed"),
    ("simulate 5050 --workers 0", "--workers"),
    ("simulate 5050 --plot chart.gif", "chart.gif"),
    ("simulate 5050 --plot no/folder/chart.svg", "no/folder/chart.svg"),
    ("simulate bar-bolz --set black_faces=pass", "black_faces"),
    ("report 5050 --out report.pdf", "report.pdf"),
    ("report 5050 --policy clever", "clever"),
    ("report 5050 --out no/folder/report.html", "no/folder/report.html"),
    ("serve --port 70000", "70000"),
    ("serve --port x", "--port"),
    ("serve --host no.such.host.invalid", "no.such.host.invalid"),
    ("serve --store text.txt", "text.txt"),
    ("serve --store text.txt/tables.sqlite3", "text.txt"),
    ("serve --store postgresql://host/tables", "postgresql"),
]


@pytest.fixture(scope="module")
def bad_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bad")
    state = load_game("bar-bolz").new_initial_state().play(*QUICK_MATCH)
    good = write_record(record_of(state, ["Mia", "Ben"], HAND_DICE))
    (folder / "good.bolz").write_text(good, encoding="utf-8")
    (folder / "cut.bolz").write_text(good[:-10], encoding="utf-8")
    (folder / "move.bolz").write_text(good.replace("\n10\n", "\nstop\n", 1), encoding="utf-8")
    (folder / "game.bolz").write_text(good.replace("game: bar-bolz", "game: chess"), encoding="utf-8")
    (folder / "utf8.bolz").write_bytes(good.encode().replace(b"Mia", b"M\xffa"))
    (folder / "text.txt").write_text("Not a record.\n" * 100, encoding="utf-8")
    (folder / "bytes.bin").write_bytes(bytes(range(256)))
    return folder


@pytest.mark.parametrize(("line", "named"), BAD, ids=[line for line, _ in BAD])
def test_bad_input_is_one_line_and_exit_code_2(line, named, bad_files, monkeypatch, capsys):
    """In this process, for speed; `test_bad_input_in_a_process` shows that a process does the same."""
    from bolzplatz.cli.main import main

    monkeypatch.chdir(bad_files)
    name, *rest = line.split()
    # A free port: whoever else serves on this machine meanwhile is in nobody's way.
    assert main([name, *(["--no-browser", "--port", "0"] if name == "serve" else []), *rest]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("bolzplatz: ")
    assert said.err.count("\n") == 1
    assert named in said.err


def test_bad_input_in_a_process():
    done = command("play", "chess\n\x1b[31m")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "\x1b" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("line", ["games", "rules 5050", "--help", "games --json"])
def test_full_disk_is_one_line(line):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, *line.split()], stdout=full, stderr=subprocess.PIPE, text=True, timeout=SECONDS
        )
    assert done.returncode == 2
    assert re.fullmatch(r"bolzplatz: .*no space left.*\n", done.stderr)


@pytest.mark.parametrize("line", ["games", "rules 5050", "--help", "play 5050 --seats good,child"])
def test_closed_pipe_is_quiet(line):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as pipe:
        done = subprocess.run(
            [*COMMAND, *line.split()],
            stdin=subprocess.DEVNULL,
            stdout=pipe,
            stderr=subprocess.PIPE,
            text=True,
            timeout=SECONDS,
        )
    assert (done.returncode, done.stderr) == (141, "")


# --- play ---------------------------------------------------------------------------------------------------------


def test_match_through_a_pipe_is_proven_by_its_record(proven):
    record = read_record(proven.read_bytes())
    assert record.seats == ("Mia", "Robby")
    assert max(map(int, record.result.split())) >= 1000
    found = verify_record(record, load_game)
    assert found.ok
    assert [note.kind for note in found.notes] == ["server-alone"]
    shown = answer("verify", proven)
    assert " ".join(found.words) in shown
    assert "Mia" in shown
    assert "ALL RIGHT" in shown
    assert "Not proven" in shown  # nobody but the program had a hand in the dice


def test_words_at_the_start_are_those_of_the_record(tmp_path):
    file = tmp_path / "m.bolz"
    shown = answer("play", "5050", "--record", file, typed="quit\n")
    found = json.loads(answer("verify", file, "--json"))
    assert " ".join(found["words"]) in shown
    assert len(found["words"]) == 6
    assert found["ok"]


def test_one_person_plays_where_all_move_at_once_and_its_record_proves_it(tmp_path):
    """The cards lie open, everybody chooses, equal hands are parted by a draw (docs/grabbing.md, without time)."""
    file = tmp_path / "kerle.bolz"
    typed = "hello\n?\n" + "none\nblack>red\n4\n" * 60
    shown = answer(
        "play", "wilde-kerle", "--seats", "me:Mia,child,adult", "--record", file, "--lang", "en", typed=typed
    )
    assert "Full time." in shown
    assert shown.count("Mia, your move:") == shown.count("Mia may:") + 2  # a mistake and a wish for help besides
    assert "red, or black if red is gone" in shown
    record = read_record(file.read_bytes())
    wishes = [move.split()[0] for move in record.moves if len(move.split()) == 3 and "order" not in move]
    assert len(wishes) == shown.count("Mia may:") > 20
    assert wishes[:4] == ["none", "black>red", "red>black", "none"]
    found = verify_record(record, load_game)
    assert found.ok, found.faults
    assert "ALL RIGHT" in answer("verify", file)


def test_json_of_a_match_is_all_of_standard_output():
    done = command("play", "bar-bolz", "--seats", "good,child:Robby", "--set", "series=3", "--json")
    assert done.returncode == 0
    told = json.loads(done.stdout)
    assert (told["game"], told["finished"], told["options"]["series"]) == ("bar-bolz", True, 3)
    assert sorted(told["scores"])[-1] == 2
    assert sum(told["returns"]) == 0
    record = read_record(told["record"].encode())
    assert list(record.moves) == told["history"]
    assert replay_record(record, load_game).scores() == told["scores"]
    assert "Robby" in done.stderr


def test_moves_by_notation_number_and_mistake():
    typed = "keep 9\nkeep 2\n0\n77\n?\nboard\n"
    shown = answer("play", "5050", "--seats", "me:Mia,me:Ben", typed=typed)
    assert "There is no move number 0" in shown
    assert "There is no move number 77" in shown
    assert "bolzplatz rules 5050" in shown
    assert shown.count("is refused") == 0
    assert "left unfinished" in shown


def test_real_dice_by_hand(tmp_path):
    file = tmp_path / "hand.bolz"
    typed = "\n".join(["7", "?", *QUICK_MATCH[:4], "black", *QUICK_MATCH[5:]])
    shown = answer(
        *("play", "bar-bolz", "--dice", "hand", "--seats", "me:Mia,me:Ben", "--record", file, "--lang", "en"),
        typed=typed,
    )
    assert "Mia wins!" in shown
    record = read_record(file.read_bytes())
    assert list(record.moves) == QUICK_MATCH
    assert (record.result, record.dice) == ("2 0", HAND_DICE)


def test_unfinished_match_keeps_what_was_played(tmp_path):
    file = tmp_path / "m.bolz"
    answer("play", "5050", "--seats", "me,me", "--record", file, typed="1\n1\n")
    record = read_record(file.read_bytes())
    assert record.result == "unfinished"
    assert len(record.moves) >= 3
    assert verify_record(record, load_game).ok
    assert list(tmp_path.iterdir()) == [file]


def test_a_record_is_never_overwritten(by_hand):
    before = by_hand.read_bytes()
    done = command("play", "5050", "--record", by_hand)
    assert done.returncode == 2
    assert by_hand.read_bytes() == before


@pytest.mark.parametrize(("language", "won"), [("en", "wins!"), ("de", "gewinnt!"), ("fr", "gagne !")])
def test_match_in_three_languages(language, won):
    assert won in answer("play", "bar-bolz", "--seats", "good:Mia,child:Ben", "--lang", language)


def test_seats_give_the_number_of_players():
    told = json.loads(command("play", "5050", "--seats", "child,child,child", "--json").stdout)
    assert told["options"]["players"] == 3
    team = ["play", "bar-bolz", "--set", "teams=2v1", "--json"]
    assert [seat["kind"] for seat in json.loads(command(*team).stdout)["seats"]] == ["human", "bot", "bot"]


def read_until(terminal, seen, enough):
    """Read from a terminal until it is enough, or the other side is gone."""
    while not enough(seen):
        ready, _, _ = select.select([terminal], [], [], SECONDS)
        try:
            piece = os.read(terminal, 65536) if ready else b""
        except OSError:
            piece = b""
        if not piece:
            break
        seen += piece.decode(errors="replace")
    return seen


class Terminal:
    """A process that has a terminal of its own; `answers` are pairs of a prompt and what is typed at it."""

    def __init__(self, *arguments):
        import pty

        self.master, slave = pty.openpty()
        line = [*COMMAND, *map(str, arguments)]
        self.process = subprocess.Popen(line, stdin=slave, stdout=slave, stderr=slave, env=environment(TERM="dumb"))
        os.close(slave)
        self.seen = ""

    def until(self, *prompts):
        """Read until one of the prompts is the last thing seen; return it, or None at the end."""

        def waiting(seen):
            return next((prompt for prompt in prompts if seen.rstrip(" ").endswith(prompt)), None)

        self.seen = read_until(self.master, self.seen, waiting)
        return waiting(self.seen)

    def type(self, text):
        self.seen = ""
        os.write(self.master, text.encode())

    def interrupt(self):
        """Press Ctrl-C, again where nothing comes of it: just before the keyboard is read, one is not heard."""
        self.seen = ""
        for _ in range(SECONDS // PATIENCE):
            self.process.send_signal(signal.SIGINT)
            if select.select([self.master], [], [], PATIENCE)[0]:
                return

    def close(self):
        self.process.wait(SECONDS)
        os.close(self.master)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
def test_at_a_terminal_enter_throws_and_the_record_is_offered(tmp_path):
    terminal = Terminal("play", "bar-bolz", "--seats", "me:Mia,me:Ben", "--lang", "en")
    throws = 0
    while (asked := terminal.until("Enter to throw:", "your move:", "throws it away:")) != "throws it away:":
        assert asked is not None, terminal.seen
        throws += asked == "Enter to throw:"
        terminal.type("\n" if asked == "Enter to throw:" else "take\n")
    terminal.type(f"{tmp_path / 'kept.bolz'}\n")
    assert terminal.until() is None
    terminal.close()
    assert terminal.process.returncode == 0
    record = read_record((tmp_path / "kept.bolz").read_bytes())
    assert throws == len(record.moves) - record.moves.count("take")
    assert verify_record(record, load_game).ok


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
def test_ctrl_c_at_a_prompt_ends_with_one_line_and_keeps_the_record(tmp_path):
    terminal = Terminal("play", "5050", "--seats", "me,good", "--lang", "en", "--record", tmp_path / "m.bolz")
    assert terminal.until("Enter to throw:")
    terminal.interrupt()
    assert terminal.until() is None
    terminal.close()
    assert terminal.process.returncode == 130
    assert terminal.seen.split() == ["Stopped."]
    assert read_record((tmp_path / "m.bolz").read_bytes()).result == "unfinished"


# --- verify and replay --------------------------------------------------------------------------------------------


def test_record_without_proof_is_not_provable(by_hand):
    done = command("verify", by_hand)
    assert (done.returncode, done.stderr) == (1, "")
    assert "NOT PROVABLE" in done.stdout
    assert "The moves follow the rules" in done.stdout
    told = command("verify", by_hand, "--json")
    assert told.returncode == 1
    assert json.loads(told.stdout)["provable"] is False


CHANGES = [
    (r"^seat 0: Mia$", "seat 0: Mio", "headers"),
    (r"^result: .*$", "result: 1 2", "headers"),
    (r"^rules: 1$", "rules: 2", "headers"),
    (r"^keep .*\n", "", "move"),
    (r'"faces":\[', '"faces":[7,', "proof"),
    (r'"moves?":"keep [^"]*"', '"move":"keep 1 1"', "proof"),
    (r'"closing":{', '"closing":{"x":1,', "proof"),
    (r"\}\n\Z", "}", "end"),
]


@pytest.mark.parametrize(("pattern", "changed", "place"), CHANGES)
def test_changed_record_is_refused_with_the_place(pattern, changed, place, proven, tmp_path):
    before = proven.read_text(encoding="utf-8")
    after = re.sub(pattern, changed, before, count=1, flags=re.MULTILINE)
    assert after != before
    file = tmp_path / "changed.bolz"
    file.write_text(after, encoding="utf-8")
    done = command("verify", file)
    assert (done.returncode, done.stderr) == (1, "")
    assert re.search(f"^WRONG at .*{place}", done.stdout, re.MULTILINE)
    assert "ALL RIGHT" not in done.stdout
    assert "Proven" not in done.stdout


def test_who_had_a_hand_in_the_dice_is_told():
    """A record of two contributors, of whom the second did not answer in the second of three draws."""
    shown = answer("verify", Path(__file__).parent / "data" / "sealed_match.bolz", "--draws")
    assert "Mia had a hand in 3 of 3" in shown
    assert "Ben & Zoë had a hand in 2 of 3" in shown
    assert "Note: draw 2: Ben & Zoë did not answer in time and had no hand in it." in shown
    assert "of the server, of Mia, of Ben & Zoë, all fixed before the first throw" in shown
    assert "Not proven" not in shown
    assert re.search(r"^ +2 +0 +6 d6 +[1-6 ]+ Ben & Zoë *$", shown, re.MULTILINE)


def test_every_draw_is_listed(proven):
    proof = read_record(proven.read_bytes()).proof
    draws = [entry["draw"] for entry in proof["entries"] if "draw" in entry]
    shown = answer("verify", proven, "--draws")
    listed = re.findall(r"^ +(\d+) +([01]) +(\d) d6 +([1-6 ]+?) *$", shown, re.MULTILINE)
    assert listed == [(str(d["k"]), str(d["seat"]), str(d["n"]), " ".join(map(str, d["faces"]))) for d in draws]


def test_names_in_a_record_cannot_steer_the_terminal(by_hand, tmp_path):
    file = tmp_path / "evil.bolz"
    file.write_text(by_hand.read_text(encoding="utf-8").replace("Mia", "M\x1b[2Jia"), encoding="utf-8")
    assert "\x1b" not in command("verify", file).stdout
    assert "\x1b" not in answer("replay", file)


def test_replay_tells_the_match(by_hand):
    shown = answer("replay", by_hand, "--lang", "en")
    moves = re.findall(r"^(\d+)\. (Mia|Ben): (.*)$", shown, re.MULTILINE)
    thrown_by = ["Mia"] * 3 + ["Ben", "Mia"] + ["Mia"] * 3
    assert moves == [(str(i), who, move) for i, (who, move) in enumerate(zip(thrown_by, QUICK_MATCH, strict=True), 1)]
    assert "Goal for Mia, with exactly 50 points! It is 1:0." in shown
    assert "The red card for Ben!" in shown
    assert "Result: 2 0" in shown
    assert "Rote Karte" in answer("replay", by_hand, "--lang", "de")


def test_replay_shows_one_position(by_hand):
    state = load_game("bar-bolz").new_initial_state().play(*QUICK_MATCH[:3])
    told = json.loads(answer("replay", by_hand, "--at", "3", "--json"))
    assert told["position"] == json.loads(json.dumps(state.view(None)))
    assert [step["number"] for step in told["steps"]] == [3]
    assert told["steps"][0]["scores"] == [1, 0]
    assert told["moves"] == len(QUICK_MATCH)
    shown = answer("replay", by_hand, "--at", "3")
    assert "3. Mia: 10" in shown
    assert "2. Mia" not in shown
    start = json.loads(answer("replay", by_hand, "--at", "0", "--json"))
    assert (start["steps"], start["position"]["scores"]) == ([], [0, 0])


def test_replay_for_programs_has_every_step(proven):
    record = read_record(proven.read_bytes())
    told = json.loads(answer("replay", proven, "--json"))
    assert [step["move"] for step in told["steps"]] == list(record.moves)
    assert " ".join(map(str, told["steps"][-1]["scores"])) == record.result
    assert told["position"]["terminal"]
    assert told["steps"][-1]["events"][-1]["kind"] == "win"


# --- simulate -----------------------------------------------------------------------------------------------------


def test_simulate_gives_the_same_for_any_number_of_workers():
    told = []
    for workers in (1, 2):
        line = f"simulate 5050 --policies good,child,random --matches 2_000 --seed 7 --workers {workers} --json"
        told.append(json.loads(answer(*line.split())))
        assert told[-1].pop("timing")["workers"] == workers
    assert told[0] == told[1]
    assert told[0]["options"]["players"] == 3
    assert sum(seat["wins"]["count"] for seat in told[0]["seats"]) == told[0]["matches"] == 2000


def test_simulate_for_people_with_a_chart(tmp_path):
    chart = tmp_path / "chart.svg"
    done = command("simulate", "bar-bolz", "--matches", "3000", "--set", "series=3", "--plot", chart)
    assert done.returncode == 0
    assert "3,000 matches, seed 1" in done.stdout
    assert "series=3" in done.stdout
    assert done.stderr == f"The chart is in {chart}.\n"
    assert chart.read_text(encoding="utf-8").startswith("<?xml")


OWN_FILES = {
    "dribbel-fieber": ("edition", None, None),
    "gooaaaaal": ("dice", "# my dice\n3xBKSQWT\n\nBBKSQT  # worn\n", "3xBKSQWT,BBKSQT"),
    "wilde-kerle": ("deck", "1xK5-12\n1xK8-9,2xS5-14\n", "1xK5-12,1xK8-9,2xS5-14"),
}


def own_file(game, folder):
    """A file of an owner's own: what it holds, and the option that it stands for."""
    option, text, value = OWN_FILES[game]
    if text is None:
        source = Path(bolzplatz.games.dribbel_fieber.__file__).parent / "editions" / "placeholder.toml"
        text = source.read_text(encoding="utf-8").replace('title = "Bolzplatz placeholder"', 'title = "My box"')
        value = load_game(game, edition=text).options["edition"]
    file = folder / "box.txt"
    file.write_text(text, encoding="utf-8")
    return file, option, value


def test_an_own_deck_is_dealt_from(tmp_path):
    """All hands move at once there, so that it is no game for the terminal."""
    file, option, value = own_file("wilde-kerle", tmp_path)
    told = json.loads(answer("simulate", "wilde-kerle", "--matches", "20", "--data", file, "--json"))
    assert told["options"][option] == value


@pytest.mark.parametrize("game", ["dribbel-fieber", "gooaaaaal"])
def test_data_of_an_own_box_is_played_with_and_recorded(game, tmp_path):
    file, option, value = own_file(game, tmp_path)
    record = tmp_path / "match.bolz"
    command("play", game, "--seats", ",".join(["me"] * load_game(game).num_players), "--data", file, "--record", record)
    kept = read_record(record.read_bytes())
    assert kept.options[option] == value
    assert verify_record(kept, load_game).provable


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("simulate 5050 --data {file}", "5050 reads no file"),
        ("simulate dribbel-fieber --data no-such.toml", "no-such.toml cannot be read: no such file"),
        ("simulate dribbel-fieber --data {file} --set edition=diagonals", "the option edition, and so does --set"),
        ("simulate dribbel-fieber --data {bad}", "bad.txt: dribbel-fieber: option edition: figures.start[1]: 'f3'"),
        ("simulate gooaaaaal --data {bad}", "bad.txt: gooaaaaal: option dice"),
        ("play wilde-kerle --data {bad}", "bad.txt: wilde-kerle: option deck"),
        ("play wilde-kerle --seats me,me,adult", "all move at once"),
        ("simulate dribbel-fieber --data {picture}", "picture.png is no text"),
    ],
)
def test_data_that_cannot_be_used_is_refused_by_file_field_and_reason(line, reason, tmp_path):
    file, _, _ = own_file("dribbel-fieber", tmp_path)
    bad, picture = tmp_path / "bad.txt", tmp_path / "picture.png"
    bad.write_text(file.read_text(encoding="utf-8").replace('"b3"', '"f3"'), encoding="utf-8")
    picture.write_bytes(b"\x89PNG\xff\xfe")
    done = command(*line.format(file=file, bad=bad, picture=picture).split())
    assert (done.returncode, done.stdout) == (2, "")
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(("language", "said"), [("de", "'f3' liegt nicht auf dem Platz"), ("fr", "'f3'")])
def test_a_wrong_edition_is_told_in_the_language_that_was_asked_for(language, said, tmp_path):
    file, _, _ = own_file("dribbel-fieber", tmp_path)
    bad = tmp_path / "bad.toml"
    bad.write_text(file.read_text(encoding="utf-8").replace('"b3"', '"f3"'), encoding="utf-8")
    done = command("play", "dribbel-fieber", "--data", bad, "--lang", language)
    assert done.returncode == 2
    assert f"figures.start[1]: {said}" in done.stderr
    assert "off the pitch" not in done.stderr
    assert done.stderr.rstrip().endswith("(dribbel-fieber §11)")


def test_report_in_the_terminal_as_numbers_and_as_a_page(tmp_path):
    line = ["report", "bar-bolz", "--policy", "child", "--matches", "300", "--seed", "4"]
    assert "Is every seat worth the same?" in answer(*line)
    numbers = json.loads(answer(*line, "--json"))
    assert numbers["sections"]["fairness"]["seats"][0]["wins"]["of"] == 300
    page = tmp_path / "report.html"
    done = command(*line, "--out", page, "--lang", "de")
    assert (done.returncode, done.stdout) == (0, "")
    assert "<svg" in page.read_text(encoding="utf-8")
    assert '<html lang="de">' in page.read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
def test_simulate_stops_at_ctrl_c_with_what_is_done():
    import pty

    master, slave = pty.openpty()
    line = [*COMMAND, "simulate", "bar-bolz", "--matches", "4000000000", "--json"]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=slave, text=True, env=environment(TERM="xterm"))
    os.close(slave)
    seen = read_until(master, "", lambda seen: re.search(r"playing.* [1-9][0-9]*/4000000000", seen))
    process.send_signal(signal.SIGINT)
    told = json.loads(process.communicate(timeout=SECONDS)[0])
    seen = read_until(master, seen, lambda _: False)
    os.close(master)
    assert process.returncode == 130
    assert told["interrupted"]
    assert f"Stopped after {told['matches']:,} of 4,000,000,000 matches." in seen
    assert "Traceback" not in seen
    assert sum(seat["wins"]["count"] for seat in told["seats"]) == told["matches"] > 0


# --- serve --------------------------------------------------------------------------------------------------------


class Served:
    """A running `bolzplatz serve` at a free port."""

    def __init__(self, store, *arguments):
        self.process = subprocess.Popen(
            [*COMMAND, "serve", "--port", "0", "--no-browser", "--store", store, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        self.address = self.process.stdout.readline().split()[-1]

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        with self.process as process:  # what was read ahead with the address is only in these streams
            code = process.wait(SECONDS)
            return code, process.stdout.read(), process.stderr.read()


def test_serve_answers_and_closes(tmp_path):
    served = Served(tmp_path / "tables.sqlite3")
    with urllib.request.urlopen(served.address, timeout=SECONDS) as page:
        assert page.status == 200
        assert b"<html" in page.read()
    code, out, err = served.stop()
    assert (code, err) == (130, "Closed.\n")
    assert "Only this machine can open it" in out
    assert str(tmp_path / "tables.sqlite3") in out


def test_serve_to_the_network_shows_addresses_and_a_code(tmp_path):
    served = Served(tmp_path / "tables.sqlite3", "--host", "0.0.0.0")
    _, out, _ = served.stop()
    assert served.address.startswith("http://127.0.0.1:")
    if "In your network" in out:
        assert "█" in out
    else:
        assert "No network was found" in out


def test_serve_closes_at_once_with_pages_connected(tmp_path):
    from websockets.sync.client import connect

    from bolzplatz.table.service import TableService
    from bolzplatz.table.setup import TableSetup
    from bolzplatz.table.store import SqliteStore

    async def set_up():
        service = TableService(SqliteStore.open(tmp_path / "tables.sqlite3"))
        seats = [{"kind": "human", "name": "Mia"}, {"kind": "bot", "name": "Robby", "level": "good"}]
        table, _ = await service.create(TableSetup.from_dict({"game": "5050", "seats": seats}))
        await service.close()
        return table

    table = asyncio.run(set_up())
    served = Served(tmp_path / "tables.sqlite3")
    with connect(f"{served.address.replace('http', 'ws')}t/{table}/ws") as page:
        page.send(json.dumps({"type": "hello", "have": 0}))
        assert json.loads(page.recv(SECONDS))["type"] == "frame"
        code, _, err = served.stop()
    assert (code, err) == (130, "Closed.\n")


def test_port_in_use_is_one_line(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = command("serve", "--port", port, "--no-browser", "--store", tmp_path / "tables.sqlite3")
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(rf"bolzplatz: .*{port}.*in use.*\n", done.stderr)
    assert not (tmp_path / "tables.sqlite3").exists()


def test_store_is_in_the_data_folder(monkeypatch, tmp_path):
    from bolzplatz.cli.serve import store_path

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert store_path(None) == tmp_path / "bolzplatz" / "tables.sqlite3"
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert store_path(None) == tmp_path / ".local" / "share" / "bolzplatz" / "tables.sqlite3"
    assert store_path("sqlite:///data/t.db") == Path("data/t.db")
    assert store_path("sqlite:////data/t.db") == Path("/data/t.db")
