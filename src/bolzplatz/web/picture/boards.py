"""Where things lie on the picture of each game: the page's own drawings, grounds and words, put down in one size."""

from collections.abc import Callable, Mapping
from math import cos, pi, sin
from typing import Any, Final

from bolzplatz.web.picture.page import Page, Rect

SIZE: Final = (640, 640)
"""Width and height of every picture, so that all of a match make a film."""
WIDTH: Final = SIZE[0]
INK: Final = "#16202a"
CHALK: Final = "#fff8e7"
AMBER: Final = "#f5b301"


def _ground(page: Page) -> None:
    """The grass of the page, and above the board what it says: whose turn it is and what is asked."""
    told = page.style(page.one("body"))
    for band in range(-(-SIZE[1] // 72)):
        page.rect(Rect(0, 72 * band, WIDTH, 72), told["--pitch-band" if band % 2 else "--pitch"])
    page.say(page.one("#turn"), WIDTH / 2, 36, 30)
    page.say(page.one("#asked"), WIDTH / 2, 58, 17)


def _turn(page: Page, piece: Any) -> str:
    """How the page turns an element."""
    told = page.style(piece).get("transform", "")
    return "" if told == "none" else told


def _row(count: int, left: float, right: float, gap: float) -> list[tuple[float, float]]:
    """Where each of so many equal things in a row begins, and how wide it is."""
    if not count:
        return []
    width = (right - left - gap * (count - 1)) / count
    return [(left + place * (width + gap), width) for place in range(count)]


def _label(page: Page, piece: Any, x: float, y: float, size: float) -> None:
    """Words on their own ground, in the middle of (x, y)."""
    words = page.words(piece)
    if words:
        width = len(words) * size * 0.52 + 20
        page.box(piece, Rect(x - width / 2, y - size * 0.75, width, size * 1.5))
        page.say(piece, x, y + size * 0.36, size)


def _short(words: str, room: float, size: float) -> str:
    """Words, cut where there is no room for them."""
    most = max(1, int(room / (size * 0.5)))
    return words if len(words) <= most else f"{words[: most - 1]}…"


# --- Bar-Bolz-Bande -----------------------------------------------------------------------------------------------


def bar_bolz(page: Page) -> None:
    """Two halves with a die each, the run-up to the goal or the goal's mouth between them, and the cards."""
    _ground(page)
    page.box(page.one("#pitch"), Rect(14, 72, 612, 554))
    mouth = page.one("#mouth")
    if mouth is None:
        page.put(page.one("svg.lane"), Rect(258, 86, 124, 477))
    else:
        page.put(mouth, Rect(90, 84, 460, 319))
    for side, x in enumerate((136, 504)):
        half = page.one(f"#half-{side}")
        top = 92 if mouth is None else 412
        page.box(half.query(".plate"), Rect(x - 96, top, 192, 54))
        page.put(half.query(".shirt svg"), Rect(x - 88, top + 4, 46, 46))
        page.text(_short(page.words(half.query("h2")), 130, 21), x + 22, top + 34, 21, INK)
        die = half.query(".diespot")
        if mouth is not None:
            page.put(die.query("svg.die"), Rect(x - 42, 474, 84, 84))
            continue
        for n, net in enumerate(half.query_all("svg.net")):
            page.put(net, Rect(x - 52 + 56 * n, 162, 48, 48))
        ring = AMBER if "acts" in half.classes else "rgba(255,248,231,0.3)"
        page.rect(Rect(x - 92, 268, 184, 184), "none", ring, 3, 92)
        page.put(die.query("svg.die"), Rect(x - 72, 288, 144, 144), _turn(page, die))
        if (whistle := half.query("svg.whistle")) is not None:
            page.rect(Rect(x + 42, 262, 58, 58), AMBER, INK, 3, 29)
            page.put(whistle, Rect(x + 53, 273, 36, 36))
        _label(page, half.query(".role"), x, 484, 22)
    for card, middle in (("#card-yellow", 296), ("#card-red", 344)):
        piece = page.one(card)
        at = {"at-0": 104, "at-1": 536}
        x = next((at[name] for name in at if name in piece.classes), middle) + (64 if card == "#card-red" else 0) * (
            "at-middle" not in piece.classes
        )
        page.box(piece, Rect(x - 20, 566, 40, 52))
        if "card--warning" in piece.classes:
            page.text("!", x, 604, 34, INK)


# --- 5050 ---------------------------------------------------------------------------------------------------------


def fifty_fifty(page: Page) -> None:
    """Who has what, what is safe and at risk, the hurdle, the dice aside and the dice thrown."""
    _ground(page)
    players = page.all("li.player")
    lines = -(-len(players) // 5)
    height = 48 if lines == 1 else 36
    for place, player in enumerate(players):
        line, column = divmod(place, 5)
        x, width = _row(min(5, len(players)), 20, 620, 8)[column]
        top = 72 + line * (height + 4)
        page.box(player, Rect(x, top, width, height))
        colour = page.style(player)["color"]
        if len(players) <= 4:
            page.put(player.query("svg.kit"), Rect(x + 6, top + 6, 34, 34))
        start, size = (44, 17) if len(players) <= 4 else (8, 14)
        points = page.words(player.query("b"))
        name = _short(page.words(player.query(".name")), width - start - 16 - 11 * len(points), size)
        page.text(name, x + start, top + height / 2 + 5, size, colour, "start")
        page.text(points, x + width - 10, top + height / 2 + 7, 22 if len(players) <= 4 else 18, colour, "end")
        way = player.query("svg.way")
        page.put(way, Rect(x + 2.5, top + height - 7, width - 5, 5), shadow=False)
    top = 72 + lines * (height + 4) + 8
    if (last := page.one("#lastround")) is not None:
        page.box(last, Rect(20, top, 600, 28))
        page.say(last, WIDTH / 2, top + 20, 16)
        top += 36
    for kind, x in (("safe", 20), ("risk", 230)):
        piece = page.one(f".sum--{kind}")
        page.box(piece, Rect(x, top, 196, 78))
        colour = page.style(piece)["color"]
        page.text(page.words(piece.query(".sum-name")), x + 14, top + 24, 17, colour, "start")
        page.text(page.words(piece.query("b")), x + 14, top + 64, 40, colour, "start")
        icon = piece.query("svg.icon")
        if icon is not None:
            page.put(icon, Rect(x + 160, top + 8, 24, 24))
    hurdle = page.one("#hurdle")
    page.put(hurdle.query("svg"), Rect(442, top - 2, 92, 80))
    page.text(page.words(page.one("#set-points")), 544, top + 40, 32, CHALK, "start")
    page.text(f"/ {page.words(hurdle.query('p')).split('/')[-1].strip()}", 544, top + 64, 18, CHALK, "start")
    top += 98
    page.box(page.one("#aside"), Rect(20, top, 600, 74))
    _label(page, page.one(".aside-name"), 70, top, 16)
    for (x, width), socket in zip(_row(6, 34, 606, 8), page.all(".socket"), strict=True):
        hole = Rect(x + width / 2 - 28, top + 10, 56, 56)
        page.box(socket, hole)
        if (die := socket.query("svg.die")) is not None:
            page.put(die, hole)
            if socket.query(".turned") is not None:
                page.path(f"M{hole.x + 32} {hole.y + 4}h20v20z", fill="#c8102e", stroke=INK, stroke_width="2")
    top += 88
    tray = page.one("#tray")
    room = Rect(20, top, 600, SIZE[1] - top - 16)
    page.box(tray, room)
    edge = min(104.0, room.height / 2 - 22)
    for place, spot in enumerate(tray.query_all(".place")):
        row, column = divmod(place, 3)
        die = spot.query(".d")
        if (drawn := spot.query("svg.die")) is not None:
            x, y = 20 + 600 * (2 * column + 1) / 6, top + room.height * (2 * row + 1) / 4
            page.put(drawn, Rect(x - edge / 2, y - edge / 2, edge, edge), _turn(page, die))
    if (cup := page.one("#cup")) is not None:
        tall = min(190.0, room.height - 16)
        middle = top + room.height / 2
        page.put(
            cup.query("svg"),
            Rect(WIDTH / 2 - tall * 0.455, middle - tall / 2, tall * 0.91, tall),
            "rotate(-4deg)",
        )
        page.text(page.words(cup.query("b")), WIDTH / 2, middle + 38, 46, CHALK)


# --- GOOAAAAAL! ---------------------------------------------------------------------------------------------------


def gooaaaaal(page: Page) -> None:
    """Two facing halves with the dice below, the ring of many, or a race."""
    _ground(page)
    if page.one("#race") is not None:
        _race(page)
        return
    ring = page.one("#ring")
    if ring is not None:
        _ring(page, ring)
        floor = 470.0
    else:
        floor = _halves(page)
    tray = page.one("#tray")
    room = Rect(20, floor, 600, SIZE[1] - floor - 14)
    page.box(tray, room)
    cells = tray.query_all(".cell")
    spots = list(cells)
    across = len(spots) if len(spots) <= 5 else -(-len(spots) // 2)
    down = -(-len(spots) // across)
    size = min(92.0, room.height / down - 14, 580 / across - 10)
    for place, cell in enumerate(spots):
        row, column = divmod(place, across)
        x = 20 + 600 * (2 * column + 1) / (2 * across) - size / 2
        y = floor + room.height * (2 * row + 1) / (2 * down) - size / 2
        _lying(page, cell, Rect(x, y, size, size))


def _lying(page: Page, cell: Any, place: Rect) -> None:
    """One die of the tray: as it lies, in the hand, placed on the pitch, or out."""
    holder = cell.query(".d")
    for drawn in holder.query_all("svg"):
        gone = "gone" in holder.classes
        small = place.width * (0.3 if gone else 0.32)
        inside = Rect(place.x + small, place.y + small, place.width - 2 * small, place.height - 2 * small)
        whole = "die" in drawn.classes and not gone
        page.put(drawn, place if whole else inside, _turn(page, holder) if whole else "")
    if "gone" in holder.classes:
        page.rect(place, "none", "rgba(255,248,231,0.38)", 2.5, 12, "8 6")


def _halves(page: Page) -> float:
    """The pitch with a plate above and below; return where it ends."""
    top = 72.0
    others = page.all("li.other")
    for (x, width), other in zip(_row(len(others), 20, 620, 5), others, strict=True):
        page.box(other, Rect(x, top, width, 30))
        page.put(other.query("svg.kit"), Rect(x + 3, top + 3, 24, 24))
        page.text(page.words(other.query("b")), x + width - 6, top + 21, 17, page.style(other)["color"], "end")
    top += 38 if others else 0
    plates = page.all(".gplate")
    drawing = page.one("svg.halves")
    _x, _y, width, height = map(float, drawing.etree_element.get("viewBox").split())
    room = 440 - top - 96
    scale = min(600 / width, room / height)
    _plate(page, plates[0], top)
    page.put(drawing, Rect(WIDTH / 2 - width * scale / 2, top + 50, width * scale, height * scale))
    below = top + 56 + height * scale
    if len(plates) > 1:
        _plate(page, plates[1], below)
        below += 50
    return below + 4


def _plate(page: Page, plate: Any, top: float) -> None:
    """Who it is, cards, penalties, whistles and goals."""
    page.box(plate, Rect(20, top, 600, 44))
    page.put(plate.query("svg.kit"), Rect(28, top + 6, 32, 32))
    page.say(plate.query(".name"), 68, top + 29, 20, "start")
    _score(page, plate.query(".goalcount"), Rect(568, top + 6, 46, 32), 25)
    x = 560.0
    for icon in reversed(list(plate.query_all(".whistles svg"))):
        x -= 24
        page.put(icon, Rect(x, top + 11, 22, 22))
    if (penalties := plate.query(".spots b")) is not None:
        x -= 20
        page.say(penalties, x + 8, top + 29, 20)
    for badge in reversed(list(plate.query_all(".badges svg"))):
        x -= 30
        page.put(badge, Rect(x, top + 9, 26, 26))


def _score(page: Page, count: Any, place: Rect, size: float) -> None:
    page.rect(place, INK, radius=6)
    page.text(page.words(count), place.x + place.width / 2, place.y + place.height / 2 + size * 0.36, size, CHALK)


def _ring(page: Page, ring: Any) -> None:
    """Everybody round the table, with the acting line in the middle."""
    place = Rect(110, 66, 420, 385)
    page.put(ring.query("svg.ringmap"), place)
    nodes = list(ring.query_all("li.node"))
    drawing = ring.query("svg.halves")
    _x, _y, width, height = map(float, drawing.etree_element.get("viewBox").split())
    wide = 230 if len(nodes) <= 7 else 200
    tall = wide * height / width
    page.put(drawing, Rect(WIDTH / 2 - wide / 2, 66 + 192 - tall / 2, wide, tall))
    for node in nodes:
        at = next(int(name[3:]) for name in node.classes if name.startswith("at-"))
        angle = 2 * pi * at / len(nodes)
        x = WIDTH / 2 - 0.389 * place.width * 1.15 * sin(angle)
        y = place.y + place.height / 2 + 0.388 * place.height * cos(angle)
        box = Rect(x - 46, y - 28, 92, 56)
        page.box(node, box)
        page.put(node.query("svg.kit"), Rect(box.x + 6, box.y + 5, 24, 24))
        _score(page, node.query(".goalcount"), Rect(box.x + 52, box.y + 5, 34, 24), 19)
        page.text(_short(page.words(node.query(".name")), 84, 14), x, box.y + 47, 14, page.style(node)["color"])


def _race(page: Page) -> None:
    """A ball in four parts for each who races, and what they threw last."""
    racers = page.all("section.racer")
    for (x, width), racer in zip(_row(len(racers), 20, 620, 14), racers, strict=True):
        page.box(racer, Rect(x, 84, width, 480))
        middle = x + width / 2
        page.put(racer.query("svg.kit"), Rect(x + 12, 98, 36, 36))
        page.text(_short(page.words(racer.query(".name")), width - 110, 20), x + 56, 124, 20, CHALK, "start")
        _score(page, racer.query(".goalcount"), Rect(x + width - 54, 100, 42, 32), 24)
        _label(page, racer.query(".role"), middle, 164, 18)
        size = min(230.0, width - 30)
        page.put(racer.query("svg.build"), Rect(middle - size / 2, 196, size, size))
        dice = list(racer.query_all(".rd svg"))
        for place, die in enumerate(dice):
            row, column = divmod(place, 5)
            page.put(die, Rect(middle - 120 + 48 * column, 454 + 50 * row, 42, 42))


# --- Die wilden Fußballkerle --------------------------------------------------------------------------------------


def wilde_kerle(page: Page) -> None:
    """The open cards in an arc, who has which chips, and the two figures."""
    _ground(page)
    hands = page.all("li.hand")
    for (x, width), hand in zip(_row(len(hands), 20, 620, 10), hands, strict=True):
        card = hand.query("svg.kcard")
        wide = min(width - 8, 124.0)
        middle = x + width / 2
        page.put(card, Rect(middle - wide / 2, 84, wide, wide * 1.36), _turn(page, card))
        top = 268
        plate = hand.query(".kplate")
        page.box(plate, Rect(x, top, width, 78))
        colour = page.style(plate)["color"]
        page.put(plate.query("svg.kit"), Rect(x + 6, top + 5, 26, 26))
        page.text(_short(page.words(plate.query(".name")), width - 44, 16), x + 36, top + 24, 16, colour, "start")
        stack = plate.query("svg.kstack")
        _x, _y, across, down = map(float, stack.etree_element.get("viewBox").split())
        page.put(stack, Rect(x + 10, top + 36, 36 * across / down, 36))
        page.text(page.words(plate.query(".chips b")), x + width - 12, top + 64, 24, colour, "end")
    for piece, x in (("black", 20), ("red", 325)):
        figure = page.one(f"#fig-{piece}") or page.one(f".fig--{piece}")
        page.box(figure, Rect(x, 366, 295, 256), 20)
        page.put(figure.query("svg.kfigure"), Rect(x + 60, 374, 175, 204))
        page.say(figure.query(".fig-name"), x + 147, 610, 28)


# --- Dribbel-Fieber -----------------------------------------------------------------------------------------------

SQUARE: Final = 68.0
LEFT: Final = 16.0
TOP: Final = 74.0


def dribbel_fieber(page: Page) -> None:
    """The pitch with figures, fences and ball; beside it the players, what is on offer and the turns."""
    _ground(page)
    page.rect(Rect(LEFT, TOP, 5 * SQUARE, 8 * SQUARE), page.style(page.one("#pitch"))["background"], CHALK, 4)
    cells = page.all("#pitch .cell")
    for n, cell in enumerate(cells):
        told = page.style(cell)
        x, y = _corner(told)
        ground = told["background"] if "area" in cell.classes else "rgba(10,40,22,0.12)" if n % 2 else "none"
        page.rect(Rect(x, y, SQUARE, SQUARE), ground.removesuffix(" !important"), "rgba(255,248,231,0.26)", 1)
    for cell in cells:
        _cell(page, cell)
    for fence in page.all("#pitch svg.fence"):
        x, y, wide = _slot(page.style(fence))
        page.put(fence, Rect(x - wide / 2, y - SQUARE * 0.1, wide, SQUARE * 0.2))
    for piece in (*page.all("#pitch .fig"), page.one("#matchball")):
        x, y, wide = _slot(page.style(piece))
        page.put(piece.query("svg"), Rect(x - wide / 2, y - wide / 2, wide, wide))
    left = LEFT + 5 * SQUARE + 16
    right = WIDTH - 14
    for name, top in (("top", TOP), ("bottom", TOP + 8 * SQUARE - 130)):
        _side(page, page.one(f".dplate--{name}"), Rect(left, top, right - left, 130))
    for (x, width), card in zip(_row(len(page.all(".poldicard")), left, right, 6), page.all(".poldicard"), strict=True):
        page.box(card, Rect(x, TOP + 148, width, 138))
        page.text(page.words(card.query(".pno")), x + 8, TOP + 168, 15, INK, "start")
        page.put(card.query("svg.arrows"), Rect(x + width / 2 - 30, TOP + 170, 60, 60))
        page.text(_short(page.words(card.query(".pname")), width - 2, 12), x + width / 2, TOP + 246, 12, INK)
        page.put(card.query(".price svg"), Rect(x + width / 2 - 22, TOP + 256, 20, 20))
        page.text(page.words(card.query(".price")), x + width / 2 + 10, TOP + 273, 18, INK)
    for (x, width), turn in zip(_row(12, left, right, 3), page.all("#turns .turn"), strict=True):
        told = page.style(turn)
        ground = told.get("background", "none")
        edge = told.get("border", "1.5px solid #fff").split(None, 2)[2]
        page.rect(Rect(x + width / 2 - 6, TOP + 300, 12, 12), ground, told.get("border-color", edge), 1.5, 6)
    backs = page.all("#hand .back svg")
    for n, back in enumerate(backs):
        page.put(back, Rect(left + 30 + 74 * n, TOP + 322, 60, 84))
    for n, card in enumerate(page.all("#hand .hcard .hface")):
        page.rect(Rect(left + 20 + 84 * n, TOP + 322, 78, 84), CHALK, INK, 2.5, 8)
        page.put(card.query("svg.arrows"), Rect(left + 32 + 84 * n, TOP + 326, 54, 54))
        page.text(_short(page.words(card.query(".hname")), 74, 12), left + 59 + 84 * n, TOP + 398, 12, INK)


def _corner(told: Mapping[str, str]) -> tuple[float, float]:
    return LEFT + (float(told["--c"]) - 1) * SQUARE, TOP + (8 - float(told["--r"])) * SQUARE


def _slot(told: Mapping[str, str]) -> tuple[float, float, float]:
    """The middle and the width of what has a place within its square."""
    x, y = _corner(told)
    return x + float(told["--x"]) * SQUARE, y + float(told["--y"]) * SQUARE, float(told["--w"]) * SQUARE


def _cell(page: Page, cell: Any) -> None:
    """The lines of a square, its goal, its colour and its bonus."""
    x, y = _corner(page.style(cell))
    ends = {"f": (x, y, "h"), "b": (x, y + SQUARE, "h"), "l": (x, y, "v"), "r": (x + SQUARE, y, "v")}
    edges = [edge for edge in ends if f"edge-{edge}" in cell.classes] + ["f"] * ("half-line" in cell.classes)
    for edge in edges:
        at, down, way = ends[edge]
        page.path(f"M{at:g} {down:g}{way}{SQUARE:g}", stroke=CHALK, stroke_width="3", fill="none")
    empty = "empty" in cell.classes
    goal = "goal" in cell.classes
    other = "goal--other" in cell.classes
    if goal:
        net = y if other else y + SQUARE - 10
        page.rect(Rect(x + 5, net, SQUARE - 10, 10), INK, CHALK, 2)
        mesh = "".join(f"M{x + 5 + 6 * n:g} {net:g}v10" for n in range(1, 10))
        page.path(mesh, stroke=CHALK, stroke_width="1.4", fill="none")
    if (mark := cell.query("svg.mark")) is not None:
        share, at = (0.38, 0.31) if empty else (0.24, 0.06)
        down = 12 if other and not empty else at * SQUARE
        page.put(mark, Rect(x + at * SQUARE, y + down, share * SQUARE, share * SQUARE))
    if (bonus := cell.query(".bonus")) is not None:
        down = 12 if goal else 2
        page.rect(Rect(x + SQUARE - 26, y + down, 24, 17), INK, radius=4)
        page.text(page.words(bonus), x + SQUARE - 14, y + down + 14, 14, CHALK)


def _side(page: Page, plate: Any, room: Rect) -> None:
    """One player: name, goals, and what is counted."""
    page.box(plate, room)
    name = plate.query(".dname")
    ball = name.query("svg")
    page.rect(Rect(room.x + 2, room.y + 2, room.width - 4, 32), AMBER if ball is not None else "none", radius=8)
    if ball is not None:
        page.put(ball, Rect(room.x + 8, room.y + 7, 22, 22))
    page.text(_short(page.words(name), 200, 20), room.x + 36, room.y + 25, 20, page.style(name)["color"], "start")
    page.put(plate.query(".dgoals svg"), Rect(room.x + 12, room.y + 50, 56, 56))
    page.text(page.words(plate.query(".dgoals b")), room.x + 92, room.y + 96, 48, CHALK)
    for n, count in enumerate(plate.query_all(".dcounts li")):
        down, across = divmod(n, 2)
        x, y = room.x + 130 + 66 * across, room.y + 44 + 28 * down
        page.put(count.query("svg"), Rect(x, y, 22, 22))
        page.text(page.words(count), x + 30, y + 18, 18, CHALK, "start")


LAYOUTS: Final[Mapping[str, Callable[[Page], None]]] = {
    "bar-bolz": bar_bolz,
    "5050": fifty_fifty,
    "gooaaaaal": gooaaaaal,
    "wilde-kerle": wilde_kerle,
    "dribbel-fieber": dribbel_fieber,
}
