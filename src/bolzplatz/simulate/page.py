"""A report as a page in HTML that needs nothing else: sentences, charts card by card, tables; by day and by night."""

from html import escape
from typing import Final

from bolzplatz.core.texts import Catalogue
from bolzplatz.simulate.plot import CHALK, CREAM, INK, PITCH, card_svg
from bolzplatz.simulate.report import Report, Section, Table

COLOURS: Final = {INK: "var(--ink)", CREAM: "var(--paper)", CHALK: "var(--chalk)", PITCH: "var(--series)"}
"""Colours of charts that are others by night."""

_PAGE: Final = """<!DOCTYPE html>
<html lang="{language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{
color-scheme: light dark;
--pitch: #1e6b3c; --title: #fff8e7; --paper: #fff8e7; --ink: #16202a; --chalk: #e4dcc6; --series: #1e6b3c
}}
@media (prefers-color-scheme: dark) {{
:root {{ --pitch: #10402a; --title: #f3ead4; --paper: #232d36; --ink: #f3ead4; --chalk: #43505b; --series: #9be3b6 }}
}}
@media print {{ :root {{ --pitch: #fff; --title: #16202a }} }}
* {{ box-sizing: border-box }}
body {{ margin: 0; background: var(--pitch); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }}
header, section {{ max-width: 64rem; margin: 1.25rem auto; padding: 0 1.25rem }}
header {{ color: var(--title) }}
h1, h2, h3 {{ line-height: 1.2 }}
section {{ background: var(--paper); border: 2px solid #16202a; border-radius: 14px; padding-bottom: 1rem }}
.cards {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 1.25rem 2rem }}
figure {{ margin: 0; max-width: 32rem }}
figure h3 {{ margin: 0 0 .25rem; font-size: 1.05rem }}
figcaption {{ font-size: .9rem }}
svg {{ display: block; width: 100%; height: auto }}
.scroll {{ overflow-x: auto; margin: 1rem 0 }}
.scroll:focus-visible {{ outline: 3px solid #f5b301 }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums }}
caption {{ text-align: left; font-weight: 700 }}
th, td {{ padding: .25rem 1rem .25rem 0; text-align: right; vertical-align: bottom }}
td, thead th {{ white-space: nowrap }}
th:first-child {{ text-align: left; min-width: 7rem }}
thead th {{ border-bottom: 2px solid var(--ink) }}
tbody tr + tr > * {{ border-top: 1px solid var(--chalk) }}
@media (max-width: 40rem) {{
header, section {{ margin: .75rem 0; padding: 0 .75rem }}
section {{ border-width: 2px 0; border-radius: 0; padding-bottom: .75rem }}
th, td {{ padding-right: .75rem; font-size: .9rem }}
}}
</style></head><body>
<header><h1>{title}</h1><p>{setting}</p>{note}</header>
<main>
{body}
</main>
</body></html>
"""


def page_of(report: Report) -> str:
    """Return a report as a page with all charts in it; raises PlotError."""
    t = report.asked.t
    body = "\n".join(_section(section, t) for section in report.sections)
    note = f"<p><strong>{escape(t('report.stopped'))}</strong></p>" if report.interrupted else ""
    setting = escape(report.setting)
    return _PAGE.format(language=t.language, title=escape(report.title), setting=setting, note=note, body=body)


def _section(section: Section, t: Catalogue) -> str:
    parts = [f"<h2>{escape(section.title)}</h2>", *(f"<p>{escape(line)}</p>" for line in section.lines)]
    if section.chart is not None:
        figures = []
        for number, card in enumerate(section.chart.cards):
            svg = card_svg(card, f"{section.key}-{number}", COLOURS)
            named = svg.replace("<svg ", f'<svg role="img" aria-label="{escape(card.title)}" ', 1)
            said = f"<figcaption>{escape(card.said)}</figcaption>"
            figures.append(f"<figure><h3>{escape(card.title)}</h3>{named}{said}</figure>")
        parts.append(f'<div class="cards">{"".join(figures)}</div>')
    parts += [_table(table, section, t) for table in section.tables]
    return f'<section id="{escape(section.key)}">{"".join(parts)}</section>'


def _table(table: Table, section: Section, t: Catalogue) -> str:
    """Return a table in a region of its own, that may be wider than a phone."""
    head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in table.headings)
    rows = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in row[1:])}</tr>'
        for row in table.rows
    )
    caption = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    label = escape(f"{t('report.table')}: {table.title or section.title}")
    whole = f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return f'<div class="scroll" role="region" tabindex="0" aria-label="{label}">{whole}</div>'
