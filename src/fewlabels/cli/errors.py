"""The one error that is the command line's own, and the words of the library's errors as a shell user knows them."""

import re

from fewlabels.errors import FewlabelsError


class WrongUse(FewlabelsError):  # noqa: N818 - it is said to a person, not caught by programs
    """The command was called in a way that means nothing; exit code 2."""


# What the library's errors call by its Python name, and what it is called here; tried in this order.
SHELL_WORDS: tuple[tuple[str, str], ...] = (
    (r"\buse correct\(\)", "use fewlabels correct"),
    (r"\bimport the module that defines it, and call\b", "name the module (fewlabels --parts MODULE …) that calls"),
    (r"\btell\(\)", "fewlabels tell"),
    (r"\bother_labels= of the pool\b", "--other-label of fewlabels new"),
    (r"\bother_labels(=| (?=names))", "--other-label "),
    (r"(?<=it scores; )pass positive='([^']*)'", r"add --positive \1"),
    (r"\bpass positive_score= and positive=", "add --positive-score and --positive"),
    (r"\bone of them positive=", "one of them --positive "),
    (r"\bpass positive='…'", "add --positive-class CLASS"),
    (r"\bpositive=", "--positive-class "),
    (r"\bpositive_score=", "--positive-score"),
    (r"^positive_score\b", "--positive-score"),
    (r"\bpass probabilities_are=[\"']independent[\"']", "add --independent"),
    (r"\bprobabilities_are=[\"']independent[\"']", "--independent"),
    (r"\bleave classes out\b", "leave --classes out"),
    (r"\bclasses=", "--classes"),
    (r"\bpass load_if_exists=True, or another name\b", "give it another --name"),
    (r"\bpass pool= to load_study\b", "make the study from a file, with fewlabels new"),
    (r"\bstudy\.relocate\(…\)", "fewlabels relocate STUDY FILE"),
    (r"\bwith items=", "with --items FILE"),
    (r"\buntil=fl\.Probability\b", "--until-probability"),
    (r"\bstops at fl\.HalfWidth\b", "stops at --until-half-width"),
    (r"\ban Estimate\b", "an --estimate"),
    (r"\bfor Identify, Compare, Below and Above\b", "for --identify, --compare, --below and --above"),
    (r"\bfl\.Below\b", "--below"),
    (r"\bfl\.Above\b", "--above"),
    (r"\buse HalfWidth\(…, of='groups'\)", "use --until-half-width"),
    (r"^HalfWidth needs\b", "--until-half-width and --until-overall need"),
    (r"^Variance needs\b", "--until-variance needs"),
    (r"\binterval=", "--interval "),
    (r"^Probability needs\b", "--until-probability needs"),
    (r"\buntil=", "--until-half-width or --until-probability "),
    (r", or pass fl\.Method\(…\)( with a name=)?| or fl\.Prior\(…\)", ""),
    (r"\bask fl\.Estimate for it\b", "use --estimate for it"),
    (r"\bfl\.Estimate\b(\(…\))?", "--estimate"),
    (r"\bfl\.Identify\b(\(…\)| (?=with))", "--identify "),
    (r"\bfl\.Compare\b(\(…\))?", "--compare"),
    (r"\bpass labels=\{item: label\}", "add --labels FILE"),
    (r"\bpass methods=\['uprior', 'iprior\+ts'\]", "add --methods uprior,iprior+ts"),
    (r"\b(by|drawn|prior|strategy|estimator|target|which|top|model)='([^']*)'", r"--\1 \2"),
    (r"\b(by|drawn|prior|strategy|estimator|target|which|top|workers)=(?=\S)", r"--\1 "),
    (r"\b(model|resume)=", r"--\1"),  # "say which with model=: a, b"
    (r"^prior_strength\b", "--prior-strength"),
    (r"^hidden is\b", "--hidden is"),
)


def in_shell_words(message: str) -> str:
    """An error of the library, with options of the command line where it names arguments of Python.

    >>> in_shell_words("if the first was wrong, use correct().")
    'if the first was wrong, use fewlabels correct.'
    """
    for python, shell in SHELL_WORDS:
        message = re.sub(python, shell, message)
    return message
