"""What the first version of the paper, [Ji20] v1, claims, and the rules that judge it."""

from fewlabels.reproduction.base.claims import All, Claim, Each, Ratio

_MORE_EFFECTIVE = "the active curve of MRR is higher than the non-active one"
_ACTIVE = Each("{case}: Active (TS) − Non-active", at_least=0.0, variant="as stated")

CLAIMS = {
    "v1-table-2": (
        Claim(
            "active assessment with an informative prior performs the best",
            "Table 2",
            "the informative prior needs fewer labels than the uninformative one, and both than non-active",
            All(
                tuple(
                    Ratio(f"{{kind}}, factor {{f}}: {a}", f"{{kind}}, factor {{f}}: {b}", at_most=1.0)
                    for a, b in (
                        ("Informative prior", "Uninformative prior"),
                        ("Uninformative prior", "Non-active"),
                    )
                )
            ),
        ),
    ),
    "v1-figure-4": (
        Claim(
            "the active learning approach is much more effective at identifying the least accurate class",
            "Figure 4",
            _MORE_EFFECTIVE,
            _ACTIVE,
        ),
    ),
    "v1-figure-5": (
        Claim(
            "the effect of informative priors on identifying the least accurate class",
            "Figure 5",
            "on ImageNet the curve with the informative prior is higher",
            Each("ImageNet (ResNet-101), top 1: Informative − Uninformative", at_least=0.0, variant="as stated"),
        ),
    ),
    "v1-figure-6": (
        Claim(
            "the informative prior finds the class of highest cost soonest",
            "Figure 6 (b)",
            "its curve of successes is higher than those without it and without choosing",
            Each("success, {kind}: Informative prior − {other}", at_least=0.0, variant="as stated"),
        ),
    ),
    "v1-figure-7": (
        Claim(
            "actively assess classwise ECE: the least calibrated classes are found sooner",
            "Figure 7",
            _MORE_EFFECTIVE,
            _ACTIVE,
        ),
    ),
    "v1-figure-12": (
        Claim("relatively robust to the prior strength", "Figure 12", f"at every strength {_MORE_EFFECTIVE}", _ACTIVE),
    ),
    "v1-figure-13": (
        Claim("relatively robust to the prior strength", "Figure 13", f"at every strength {_MORE_EFFECTIVE}", _ACTIVE),
    ),
}
