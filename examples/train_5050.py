"""Train a player of 5050 in about a minute, with NumPy alone, and see whether it beats the child.

    python examples/train_5050.py --seed 1 --updates 1000 --save player.npz

An actor-critic on the vector environment: a small network looks at the dice and the points at risk, scores every keep,
stopping and going on, and masks what is not legal. What it learns from is what each turn writes down: a match is some
twenty turns, a turn some five decisions, and points are what wins. The trained player is then measured over whole
matches, from both seats, choosing greedily.
"""

import argparse
import math
import time
from typing import Any, Final

import gymnasium
import numpy as np
from numpy.typing import NDArray

import bolzplatz
import bolzplatz.adapters.gymnasium
from bolzplatz.adapters.observation import plane

Floats = NDArray[np.float32]
GAME: Final = bolzplatz.load_game("5050")
HIDDEN: Final = 64
ROWS: Final = 1024
STEPS: Final = 16
"""Decisions of each row between two updates."""
TURN_WORTH: Final = 400.0
"""Points that count as one unit of reward."""
HURDLE: Final = 350.0


def features(observations: NDArray[np.int64]) -> Floats:
    """Turn observations (n, w) into what the network looks at (n, f): what one turn is about, in small numbers."""

    def part(name: str) -> NDArray[np.int64]:
        return observations[..., plane(GAME, name).entries]

    dice = np.eye(7, dtype=np.float32)[part("dice")[..., 0]]
    stopping = (part("phase") == 2).astype(np.float32)
    points = part("set_points") / HURDLE
    at_risk = (part("set_points") + part("earlier_points")) / 1000
    cleared = (points >= 1).astype(np.float32)
    columns = (dice, part("thrown") / 2, stopping, np.minimum(points, 2), cleared, at_risk, part("to_confirm"))
    return np.concatenate(columns, axis=-1).astype(np.float32)


class Network:
    """One hidden layer; scores of all actions and, as the last output, the points that the turn will bring."""

    def __init__(self, inputs: int, actions: int, luck: np.random.Generator) -> None:
        def layer(size: int, width: int, scale: float) -> list[Floats]:
            weights = luck.standard_normal((size, width)).astype(np.float32) * scale / math.sqrt(size)
            return [weights, np.zeros(width, dtype=np.float32)]

        self.weights = [*layer(inputs, HIDDEN, 1.0), *layer(HIDDEN, actions + 1, 0.1)]
        self._moments = [(np.zeros_like(weight), np.zeros_like(weight)) for weight in self.weights]
        self._updates = 0

    def forward(self, seen: Floats) -> tuple[Floats, Floats]:
        """Return the hidden layer (n, h) and the outputs (n, actions + 1)."""
        first, first_bias, second, second_bias = self.weights
        hidden = np.tanh(seen @ first + first_bias)
        return hidden, hidden @ second + second_bias

    def update(self, seen: Floats, hidden: Floats, slope: Floats, rate: float) -> None:
        """Take one Adam step against the slope of the loss by the outputs (n, actions + 1)."""
        back = (slope @ self.weights[2].T) * (1 - hidden**2)
        slopes = [seen.T @ back, back.sum(axis=0), hidden.T @ slope, slope.sum(axis=0)]
        self._updates += 1
        for weight, (mean, square), gradient in zip(self.weights, self._moments, slopes, strict=True):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            step = mean / (1 - 0.9**self._updates)
            weight -= rate * step / (np.sqrt(square / (1 - 0.999**self._updates)) + 1e-8)


def chances(scores: Floats, masks: NDArray[np.int8]) -> Floats:
    """Return the chance of each action: a softmax over the legal ones, all others 0."""
    legal = np.where(masks == 1, scores, -np.inf)
    raised = np.exp(legal - legal.max(axis=-1, keepdims=True))
    shares: Floats = raised / raised.sum(axis=-1, keepdims=True)
    return shares


def sample(shares: Floats, luck: np.random.Generator) -> NDArray[np.int64]:
    """Draw one action a row."""
    below = shares.cumsum(axis=1) < luck.random((len(shares), 1), dtype=np.float32)
    last = shares.shape[1] - 1 - (shares[:, ::-1] > 0).argmax(axis=1)  # where rounding would go past the end
    drawn: NDArray[np.int64] = np.minimum(below.sum(axis=1), last)
    return drawn


def train(seed: int, updates: int) -> Network:
    """Train against the child; the same seed gives the same player."""
    luck = np.random.default_rng(seed)
    rows: Any = gymnasium.make_vec("Bolzplatz/5050-v0", num_envs=ROWS, opponent="child", autoreset_mode="SameStep")
    observations, info = rows.reset(seed=seed)
    written, risk = plane(GAME, "written").offset, plane(GAME, "set_points").offset
    earlier = plane(GAME, "earlier_points").offset
    seen = features(observations)
    network = Network(seen.shape[1], GAME.num_actions, luck)
    for part in np.linspace(0, 1, updates):
        taken = []
        for _ in range(STEPS):
            hidden, out = network.forward(seen)
            masks = info["action_mask"].copy()
            shares = chances(out[:, :-1], masks)
            actions = sample(shares, luck)
            before = observations[:, written].copy()
            observations, _, terminated, truncated, info = rows.step(actions)
            over = terminated | truncated
            final = np.where(over[:, None], info.get("final_obs", observations), observations)
            turn_ends = over | (observations[:, risk] + observations[:, earlier] == 0)
            points = (final[:, written] - before) / TURN_WORTH
            taken.append((seen, hidden, shares, actions, out[:, -1], turn_ends, points))
            seen = features(observations)
        worth = network.forward(seen)[1][:, -1]
        batches = []
        for batch in reversed(taken):
            worth = np.where(batch[5], batch[6], worth).astype(np.float32)
            batches.append((*batch[:5], worth))
        looked, inside, shown, done, guesses, worths = (np.concatenate(column) for column in zip(*batches, strict=True))
        rate, entropy = 3e-3 * (1 - 0.9 * part), 0.02 * (1 - part)
        learn(network, looked, inside, shown, done, guesses, worths, rate, entropy)
    rows.close()
    return network


def learn(
    network: Network, seen: Floats, hidden: Floats, shares: Floats, actions: NDArray[np.int64], guess: Floats,
    worth: Floats, rate: float, entropy: float,
) -> None:  # fmt: skip
    """Make actions likelier that did better than the network had guessed, and better its guesses."""
    n, each = len(worth), np.arange(len(worth))
    gain = worth - guess
    gain_scaled = gain / (gain.std() + 1e-6)
    slope = np.zeros((n, shares.shape[1] + 1), dtype=np.float32)
    slope[:, :-1] = shares * gain_scaled[:, None]
    slope[each, actions] -= gain_scaled
    logs = np.log(np.maximum(shares, 1e-12))
    slope[:, :-1] += entropy * shares * (logs - (shares * logs).sum(axis=1, keepdims=True))
    slope[:, -1] = -gain
    network.update(seen, hidden, (slope / n).astype(np.float32), rate)


class TrainedPlayer:
    """A player for the plug-in interface: chooses the legal action with the highest score."""

    def __init__(self, weights: list[Floats]) -> None:
        self.network = Network(len(weights[0]), GAME.num_actions, np.random.default_rng(0))
        self.network.weights = weights

    @classmethod
    def load(cls, path: str) -> "TrainedPlayer":
        """Read what `--save` wrote."""
        with np.load(path) as saved:
            return cls([saved[name] for name in sorted(saved)])

    def choose(self, observations: NDArray[np.int64], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return one action a row."""
        scores = self.network.forward(features(observations))[1][:, :-1]
        best: NDArray[np.int64] = np.where(masks == 1, scores, -np.inf).argmax(axis=1)
        return best

    def __call__(self, view: dict[str, Any], legal: list[int]) -> int:
        """Choose for the seat whose view this is."""
        masks = np.zeros((1, GAME.num_actions), dtype=np.int8)
        masks[0, legal] = 1
        return int(self.choose(np.array([view["observation"]]), masks)[0])


def measure(player: TrainedPlayer, opponent: str, matches: int, seed: int) -> tuple[int, float]:
    """Play matches from both seats by turns; return how many were won, and the lower 99 % bound of the share."""
    rows: Any = gymnasium.make_vec("Bolzplatz/5050-v0", num_envs=500, opponent=opponent, seat=None)
    observations, info = rows.reset(seed=seed)
    each = -(-matches // 500)
    played, won = np.zeros(500, dtype=int), 0
    while (played < each).any():
        observations, rewards, terminated, truncated, info = rows.step(player.choose(observations, info["action_mask"]))
        counted = (terminated | truncated) & (played < each)
        won += int((rewards[counted] > 0).sum())
        played += counted
    return won, lower_bound(won, int(played.sum()))


def lower_bound(won: int, played: int) -> float:
    """Return the lower end of Wilson's 99 % interval for a share."""
    share, z = won / played, 2.5758
    centre = share + z * z / (2 * played)
    spread = z * math.sqrt(share * (1 - share) / played + z * z / (4 * played * played))
    return (centre - spread) / (1 + z * z / played)


def main() -> None:
    """Train, measure, and save where asked."""
    parser = argparse.ArgumentParser(description="Train a player of 5050.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--updates", type=int, default=1000)
    parser.add_argument("--matches", type=int, default=10_000)
    parser.add_argument("--opponents", default="child")
    parser.add_argument("--save")
    given = parser.parse_args()
    start = time.process_time()
    player = TrainedPlayer(train(given.seed, given.updates).weights)
    print(f"seed {given.seed}: {given.updates} updates in {time.process_time() - start:.0f} seconds of CPU")
    if given.save:
        np.savez(given.save, *player.network.weights)
    for opponent in given.opponents.split(","):
        won, bound = measure(player, opponent, given.matches, seed=10_000 + given.seed)
        print(f"seed {given.seed}: won {won} of {given.matches} against {opponent}, at least {bound:.3f} (99 %)")


if __name__ == "__main__":
    main()
