"""`make bench`: run the benchmarks and print their tables, as Markdown for benchmarks/README.md."""

from benchmarks import learners, playouts, startup, table_load


def main() -> None:
    """Print all tables."""
    print("| what | steps a second, best round | compared with | ratio |\n|---|---|---|---|")
    for what, rate, other, ratio in playouts.run():
        print(f"| {what} | {rate} | {other} | {ratio:.2f} |", flush=True)
    print(
        "\n| learners' environments | steps a second, best round | compared with | times as fast |\n|---|---|---|---|"
    )
    for what, rate, other, ratio in learners.run():
        print(f"| {what} | {rate} | {other} | {ratio:.1f} |", flush=True)
    print("\n| starting | seconds, best of five | compared with | ratio |\n|---|---|---|---|")
    for what, seconds, other, ratio in startup.run():
        print(f"| {what} | {seconds:.2f} | {other} | {ratio:.2f} |", flush=True)
    print("\n| load on the table | figure |\n|---|---|")
    for what, figure in table_load.run():
        print(f"| {what} | {figure} |", flush=True)


if __name__ == "__main__":
    main()
