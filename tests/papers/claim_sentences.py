"""Sentences of a paper's text that say something in numbers of how well something does."""

import re

# numbers that are names: citations, references to figures and tables, names of sets and methods
NAMES = re.compile(
    r"""\[[\d,\s–-]+\]
    | \([^()]*\b(?:19|20)\d\d[a-z]?[^()]*\)
    | <su[bp]>.*?</su[bp]>
    | \b(?:Figs?|Figures?|Tables?|Tab|Sections?|Eqs?|Alg|Algorithms?|Theorem|Proposition|Lines?
         |Appendix|Corollary|Equation|Problem)\.?~?\s*
      \(?[\dIVX]+(?:\([a-z]\))?[a-z]?(?:\s*(?:and|to|,|–|-)\s*\(?[\dIVX]+(?:\([a-z]\))?[a-z]?)*\)?
    | [图表式文献]\s*\d+(?:\([a-z]\))?(?:[、到]\s*[表图]?\s*\(?[\da-z]+\)?)*
    | \b(?:CIFAR10|RCV1S?\d?|L20ALM|F-1|0/1|Core-?i7|core?l?16ks\d|pascal0?07|VOC2008|corel?5k)\b
    | \(\d\) | \b\d\) | [①②③④]
    | \$[^$]*\\(?:mathbf|mathcal|mathbb|sum|frac|hat|boldsymbol|text|ell|times|in|top|lambda)[^$]*\$
    """,
    re.X | re.I,
)
JUDGING = re.compile(
    r"outperform|better|best|superior|inferior|improv|worse|rank|achiev|signific|times\b|faster"
    r"|robust|sensitiv|gain|highest|lowest|optimal|advantage|comparable|beat|deteriorat|declin"
    r"|increas|decreas|effective|converge|reject|demonstrat|show|observ|perform|works well"
    r"|优|排名|排第|显著|最[大小好]|明显|占|并列|精度|有效|首位|较[大小]",
    re.I,
)
END = re.compile(r"(?<=[.!?])\s+(?=[A-Z(*①-⑳])|(?<=[。;；])|\s-\s(?=[A-Z])")


def running_text(text):
    """The text in one line, without references, headings, rows of tables and formulas."""
    end = re.search(r"^#+.*(REFERENCES|References|参考文献)", text, re.M)
    lines = (text[: end.start()] if end else text).splitlines()
    kept = [line for line in lines if "\t" not in line and not line.startswith(("#", "$$"))]
    return " ".join(re.sub(r"\$\$.*?\$\$", " ", " ".join(kept)).split())


def judging_sentences(text):
    """The sentences that hold a number and a word that judges."""
    for sentence in END.split(running_text(text)):
        bare = NAMES.sub(" ", sentence)
        if re.search(r"\d", bare) and JUDGING.search(bare):
            yield sentence.strip()
