"""What [Ji21] and its supplement claim of their tables and figures, and the rules that judge it.

The numbers in the rules are set from the paper's words alone. Pools in the rows' names say where another one stands in.
"""

from fewlabels.reproduction.base import Variant
from fewlabels.reproduction.base.claims import All, Claim, Count, Each, Ratio

CELL, TOP, SET = "{pool}, N/K = {k} (N = {n}): ", "{pool}, top {m}: ", "{pool}: "
LOW = "{pool}, N/K = 2 (N = {n}): "
MANY_CLASSES = ("CIFAR-100, top {m}: ", "ImageNet (ResNet-101), top {m}: ")
CURVES: Variant = "as stated"  # what figures show is not said to be of the published code


def _below(base: str, *pairs: tuple[str, str], at_most: float = 1.0, variant: Variant = "as printed") -> All:
    """The first of each pair is at most so many times the second."""
    return All(tuple(Ratio(base + a, base + b, at_most=at_most, variant=variant) for a, b in pairs))


_BOTH = (("IPrior", "UPrior"), ("IPrior+TS", "UPrior"))
_TWICE = "RMSE of UPrior is at least twice that of IPrior, and of IPrior+TS, at N/K = 2"


def _twice(variant: Variant) -> All:
    return _below(LOW, *_BOTH, at_most=0.5, variant=variant)


CLAIMS = {
    "aaai-table-3": (
        Claim(
            "reducing RMSE by a factor of 2 or more in the low-data regime of N/K = 2",
            "Table 3",
            f"{_TWICE}; UPrior as the code has it",
            _twice("as printed"),
        ),
        Claim(
            "reducing RMSE by a factor of 2 or more in the low-data regime of N/K = 2",
            "Table 3",
            f"{_TWICE}; UPrior as the paper states it, Beta(1, 1)",
            _twice("as stated"),
        ),
        Claim(
            "Active sampling (IPrior+TS) improves on the IPrior method in 11 of the 15 results",
            "Table 3",
            "the RMSE of IPrior+TS is below that of IPrior in at least 11 of 15 cells",
            Count(Ratio(CELL + "IPrior+TS", CELL + "IPrior", at_most=1.0), 11),
        ),
    ),
    "aaai-table-4": (
        Claim(
            "informed priors often produce RMSE values that are orders of magnitude lower than a uniform prior",
            "Table 4",
            "the error under IPrior, and under IPrior+TS, is at most a tenth of that under UPrior",
            _below(CELL, *_BOTH, at_most=0.1, variant="as stated"),
        ),
        Claim(
            "active sampling (IPrior+TS) provides additional significant reductions in RMSE over the IPrior method",
            "Table 4",
            "the error of IPrior+TS is below that of IPrior",
            _below(CELL, ("IPrior+TS", "IPrior"), variant="as stated"),
        ),
    ),
    "aaai-table-5": (
        Claim(
            "Both the IPrior and IPrior+TS methods have significantly lower percentage error in general",
            "Table 5",
            "the error of ECE under IPrior, and under IPrior+TS, is below that under UPrior",
            _below(CELL, *_BOTH),
        ),
        Claim(
            "Both the IPrior and IPrior+TS methods have significantly lower percentage error in general",
            "Table 5, as stated",
            "the same with the truth on the estimate's own bins, N labels and UPrior Beta(1, 1)",
            _below(CELL, *_BOTH, variant="as stated"),
        ),
    ),
    "aaai-table-6": (
        Claim(
            "For all 5 datasets the active method (IPrior+TS) clearly outperforms the nonactive methods",
            "Table 6",
            "IPrior+TS needs fewer labels than UPrior and than IPrior, for top 1 and top m",
            _below(TOP, ("IPrior+TS", "UPrior"), ("IPrior+TS", "IPrior")),
        ),
        Claim(
            "with large gains in particular for cases where the number of classes K is large",
            "Table 6",
            "on CIFAR-100 and ImageNet IPrior+TS needs at most two thirds of IPrior's labels",
            All(tuple(Ratio(p + "IPrior+TS", p + "IPrior", at_most=2 / 3) for p in MANY_CLASSES)),
        ),
    ),
    "aaai-table-7": (
        Claim(
            "actively allocating a labeling budget and informative priors always improves label efficiency",
            "Table 7",
            "IPrior and IPrior+TS need fewer labels than UPrior",
            _below(SET, *_BOTH, variant="as stated"),
        ),
        Claim(
            "active sampling shows a systematic reduction of 5% to 35% over non-active sampling (IPrior)",
            "Table 7",
            "IPrior+TS needs 0.65 to 0.95 times IPrior's labels, success as the paper states it",
            Ratio(SET + "IPrior+TS", SET + "IPrior", 0.65, 0.95, "as stated"),
        ),
        Claim(
            "active sampling shows a systematic reduction of 5% to 35% over non-active sampling (IPrior)",
            "Table 7",
            "the same, success as the published code has it",
            Ratio(SET + "IPrior+TS", SET + "IPrior", 0.65, 0.95),
        ),
    ),
    "aaai-table-8": (
        Claim(
            "both informative priors and active sampling significantly reduce RMSE for all datasets and all N values",
            "Table 8",
            "the RMSE under IPrior, and under IPrior+TS, is below that under UPrior",
            _below(CELL, *_BOTH),
        ),
    ),
    "aaai-table-9": (
        Claim(
            "the improvement is particularly significant when calibration has large variance across the classes, e.g., "
            "CIFAR-100, ImageNet and 20 Newsgroups",
            "Table 9",
            "there IPrior+TS needs at most 0.75 times IPrior's labels",
            All(
                tuple(
                    Ratio(f"{pool}, top {{m}}: IPrior+TS", f"{pool}, top {{m}}: IPrior", at_most=0.75)
                    for pool in ("CIFAR-100", "ImageNet (ResNet-101)", "20 Newsgroups (another model)")
                )
            ),
        ),
    ),
    **{
        name: (
            Claim(
                "active assessment with an informative prior performs the best, followed by non-active assessment with "
                "an informative prior and finally random sampling",
                where,
                "IPrior+TS needs fewer labels than IPrior, and IPrior fewer than UPrior",
                _below("factor {f}, top {m}: ", ("IPrior+TS", "IPrior"), ("IPrior", "UPrior")),
            ),
        )
        for name, where in (("aaai-table-10", "Table 10"), ("aaai-table-11", "Table 11"))
    },
    "aaai-figure-1": (
        Claim(
            "classes with low accuracy tend to be less calibrated than those with higher accuracy",
            "Figure 1",
            "accuracy and ECE of the classes are negatively correlated",
            Each("{pool}: correlation of accuracy and ECE", at_most=0.0),
        ),
    ),
    "aaai-figure-3": (
        Claim(
            "The active assessment method (IPrior+TS) is much more efficient than the two non-active methods",
            "Figure 3",
            "its curve of MRR is higher by 0.1 or more on average",
            Each("{kind}, top {m}: IPrior+TS − {other}", at_least=0.1, variant=CURVES),
        ),
    ),
    "aaai-figure-4": (
        Claim(
            "the posterior means and the posterior 95% credible intervals are generally below the diagonal",
            "supplement, Figure 1",
            "from all labels, bins whose whole interval lies below the diagonal hold more than half of the items",
            Each("{pool}, all labels: % of items in bins whose interval lies below the diagonal", at_least=50.0),
        ),
    ),
    "aaai-figure-6": (
        Claim(
            "The Bayesian method consistently has lower ECE estimation error",
            "supplement, Figure 3",
            "the bias of the Bayesian mean is nearer to zero than the frequentist one, at every N shown",
            Each("{pool}, N = {n}: |bias|, Bayesian − frequentist", at_most=0.0),
        ),
        Claim(
            "especially when the number of queries is small",
            "supplement, Figure 3",
            "the same at the fewest labels shown",
            Each("{pool}, N = 50: |bias|, Bayesian − frequentist", at_most=0.0),
        ),
        Claim(
            "the frequentist method significantly overestimates ECE",
            "supplement, Figure 2",
            "its mean error from 100 labels is above zero",
            Each("{pool}, N = 100: frequentist", at_least=0.0),
        ),
    ),
    "aaai-figure-7": (
        Claim(
            "there is significant negative correlation between classwise accuracy and ECE across all 5 datasets",
            "supplement, Figure 4",
            "the correlation is negative",
            Each("{pool}: correlation of accuracy and ECE", at_most=0.0),
        ),
        Claim(
            "For CIFAR-100, ImageNet and 20 Newsgroups, the variance of classwise accuracy is considerably greater "
            "than that of two other datasets",
            "supplement, Figure 4",
            "the standard deviation over classes is at least 1.5 times that of SVHN and of DBpedia",
            All(
                tuple(
                    Ratio(f"{pool}: spread of accuracy", f"{other}: spread of accuracy", at_least=1.5)
                    for pool in ("CIFAR-100", "ImageNet (ResNet-101)", "20 Newsgroups (another model)")
                    for other in ("SVHN", "DBpedia (BANKING77 instead)")
                )
            ),
        ),
    ),
    "aaai-figure-11": (
        Claim(
            "two methods are equally efficient across 5 datasets",
            "supplement, Figure 8",
            "the curves' mean heights differ by at most 0.02",
            Each("{pool}, top 1: TS − TTTS", -0.02, 0.02, CURVES),
        ),
    ),
    "aaai-figure-15": (
        Claim(
            "the MRR curves of Thompson sampling always converge faster than epsilon greedy and Bayesian UCB",
            "supplement, Figure 12",
            "Thompson sampling needs fewer labels until the mean MRR stays above 0.99",
            All(
                tuple(
                    Ratio(
                        "{pool}, top {m}: % of the pool until TS stays above 0.99",
                        f"{{pool}}, top {{m}}: % of the pool until {other} stays above 0.99",
                        at_most=1.0,
                        variant=CURVES,
                    )
                    for other in ("Epsilon greedy", "Bayesian UCB")
                )
            ),
        ),
        Claim(
            "the MRR curves of Thompson sampling always converge faster than epsilon greedy and Bayesian UCB",
            "supplement, Figure 12",
            "read as heights: the mean height of its curve is not below theirs",
            All(
                tuple(Each(TOP + f"TS − {o}", at_least=0.0, variant=CURVES) for o in ("Epsilon greedy", "Bayesian UCB"))
            ),
        ),
    ),
    "aaai-figure-16": (
        Claim(
            "the informative prior can be helpful when the prior captures the relative ordering well (e.g., ImageNet)",
            "supplement, Figure 13",
            "on ImageNet the curve with the informative prior is higher",
            Each("ImageNet (ResNet-101), top {m}: IPrior+TS − UPrior+TS", at_least=0.0, variant=CURVES),
        ),
        Claim(
            "informative priors generally improved performance and rarely hurt it",
            "supplement, Figure 13",
            "the curve with the informative prior is at most 0.01 lower",
            Each(TOP + "IPrior+TS − UPrior+TS", at_least=-0.01, variant=CURVES),
        ),
    ),
    "aaai-figure-17": (
        Claim(
            "As the strength of the prior increases, it takes more labeled data to overcome the prior belief",
            "supplement, Figure 14",
            "of the calibration error that all labels show, 100 labels show less under strength 100 than under 10",
            Ratio(
                "{pool}, strength 100: % of the calibration error seen after 100 labels",
                "{pool}, strength 10: % of the calibration error seen after 100 labels",
                at_most=1.0,
            ),
        ),
    ),
    **{
        figure: (
            Claim(
                "the proposed approach appears to be relatively robust to the prior strength",
                where,
                "at every strength the active curve is higher than the non-active one",
                Each("{pool}, top {m}, strength {s}: IPrior+TS − Frequentist", at_least=0.0, variant=CURVES),
            ),
        )
        for figure, where in (
            ("aaai-figure-18", "supplement, Figure 15"),
            ("aaai-figure-19", "supplement, Figure 16"),
        )
    },
}
