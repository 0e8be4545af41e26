"""What [ACIS21] claims of its figures, and the rules that judge it. Errors of rows are MSE × 10⁴.

ACIS is judged as it is printed. A range of labels the paper names is the range judged, as far as it was run.
"""

from fewlabels.reproduction.base.claims import All, Claim, Each, Largest, Ratio, Rule

PRINTED = "ACIS, as printed"
RIVALS = ("SAWADE", "TOP-K", "GMM", "HERDING")
UNDER_100 = (10, 30, 40, 70)
UP_TO_310 = (*UNDER_100, 100, 150, 310)
AS_SMALL = 1e4 * 0.01


def _lower(first: str, others: tuple[str, ...], labels: tuple[int, ...], at_most: float = 1.0) -> All:
    """The error of the first is below those of the others, at each of these numbers of labels."""
    pairs = ((f"{{pool}}, {n} labels: {first}", f"{{pool}}, {n} labels: {other}") for n in labels for other in others)
    return All(tuple(Ratio(a, b, at_most=at_most) for a, b in pairs))


def _against_rivals(figure: str, where: str, labels: tuple[int, ...]) -> tuple[Claim, ...]:
    return (
        Claim(
            "estimates the F1 scores to MSE < 0.01 using less than 100 samples",
            where,
            "the MSE at 100 labels is below 0.01",
            Each(f"{{pool}}, 100 labels: {PRINTED}", at_most=AS_SMALL),
        ),
        Claim(
            f"ACIS has consistently lower MSE than all baselines ({figure})",
            where,
            f"below each of SAWADE, TOP-K, GMM and HERDING at {labels[0]} to {labels[-1]} labels",
            _lower(PRINTED, RIVALS, labels),
        ),
        Claim(
            "in expectation to within 0.1 of the true value, even for as few as 10 samples",
            where,
            "the mean error of F1 at 10 labels is between -0.1 and 0.1",
            Each(f"{{pool}}, 10 labels, mean error of F1: {PRINTED}", -0.1, 0.1),
        ),
        Claim(
            "the same estimates of model performance with up to 10× fewer labels",
            "abstract",
            "the best rival needs at least ten times as many labels for the MSE that ACIS has at 70, on some pool",
            Largest(f"{{pool}}: times as many labels {{rival}} needs for the MSE at 70 of {PRINTED}", at_least=10.0),
        ),
    )


def _both(a: str, b: str, labels: tuple[int, ...], at_least: float, at_most: float) -> Rule:
    return All(
        tuple(Ratio(f"{{pool}}, {n} labels: {a}", f"{{pool}}, {n} labels: {b}", at_least, at_most) for n in labels)
    )


CLAIMS = {
    "acis-figure-2": (
        Claim(
            "the model's scores gradually converge to a calibrated model",
            "Figure 2",
            "calibrated scores are nearer to those of all labels in round 5 than in round 1",
            Ratio(
                "{pool}: distance of calibrated scores, round 5",
                "{pool}: distance of calibrated scores, round 1",
                at_most=1.0,
            ),
        ),
        Claim(
            "the sampling distribution becomes increasingly refined",
            "Figure 2",
            "it is nearer to the optimal one in round 5 than in round 1",
            Ratio(
                "{pool}: distance of the distribution, round 5",
                "{pool}: distance of the distribution, round 1",
                at_most=1.0,
            ),
        ),
    ),
    "acis-figure-3": _against_rivals("less than 600", "Figure 3", UP_TO_310),
    "acis-figure-4": _against_rivals("less than 300", "Figure 4", UP_TO_310[:-1]),
    "acis-figure-5": _against_rivals("less than 100", "Figure 5", UNDER_100),
    "acis-figure-6": (
        Claim(
            "performs better than both calibration-only approaches and importance sampling without calibration",
            "Figure 6",
            "the MSE of ACIS is below those of ISO, PLATT and SAWADE",
            _lower(PRINTED, ("ISO", "PLATT", "SAWADE"), UP_TO_310),
        ),
        Claim(
            "ACIS outperforms ACIS-LAST in the regime with fewer than 100 samples",
            "4.2.2",
            "its MSE is lower from 30 labels on, where the two differ",
            _lower(PRINTED, ("ACIS-LAST, as printed",), UNDER_100[1:]),
        ),
        Claim(
            "though the methods converge for larger sample sizes",
            "4.2.2",
            "at 310 labels the MSE of ACIS is 0.8 to 1.25 times that of ACIS-LAST",
            _both(PRINTED, "ACIS-LAST, as printed", (310,), 0.8, 1.25),
        ),
        Claim(
            "All approaches except PLATT significantly outperform uniform random sampling",
            "Figure 6",
            "the MSEs of ACIS, SAWADE and ISO are below that of RAND",
            All(tuple(_lower(name, ("RAND",), UP_TO_310) for name in (PRINTED, "SAWADE", "ISO"))),
        ),
        Claim(
            "Only using model calibration (ISO, PLATT) performs no better than RAND (< 100 samples)",
            "4.2.2",
            "the MSEs of ISO and PLATT are at least 0.9 times that of RAND",
            All(tuple(_both(name, "RAND", UNDER_100, 0.9, float("inf")) for name in ("ISO", "PLATT"))),
        ),
    ),
    "acis-figure-7": (
        Claim(
            "estimate model F1 scores with a variance of 0.005 using as few as 100 labels",
            "abstract",
            "the empirical variance at 100 labels is at most 0.005",
            Each("{pool}, 100 labels: empirical (× 10⁴)", at_most=50.0),
        ),
        Claim(
            "the variance objective [of 0.01] has been met after 40 samples",
            "Figure 7",
            "the empirical variance at 40 labels is at most 0.01",
            Each("{pool}, 40 labels: empirical (× 10⁴)", at_most=100.0),
        ),
        Claim(
            "We slightly underestimate the empirical variance in the very low-sample regimes",
            "Figure 7",
            "at 10 labels Eq. 6 gives 0.5 to 1 times the empirical variance",
            Ratio("{pool}, 10 labels: Eq. 6 (× 10⁴)", "{pool}, 10 labels: empirical (× 10⁴)", 0.5, 1.0),
        ),
        Claim(
            "but quickly converge to the empirical estimates as sample size increases",
            "Figure 7",
            "at 100 labels or more Eq. 6 gives 0.75 to 1.33 times the empirical variance",
            All(
                tuple(
                    Ratio(
                        f"{{pool}}, {n} labels: Eq. 6 (× 10⁴)", f"{{pool}}, {n} labels: empirical (× 10⁴)", 0.75, 4 / 3
                    )
                    for n in (100, 150, 310)
                )
            ),
        ),
        Claim(
            "the worst-case estimator significantly overestimates the empirical variance",
            "Figure 12",
            "at 70 labels or more it is at least 1.5 times as large",
            All(
                tuple(
                    Ratio(
                        f"{{pool}}, {n} labels: worst case (× 10⁴)",
                        f"{{pool}}, {n} labels: empirical (× 10⁴)",
                        at_least=1.5,
                    )
                    for n in (70, 100, 150, 310)
                )
            ),
        ),
    ),
    "acis-figure-8": (
        Claim(
            "The variance of the estimate of F1 on a 50,000-sample dataset is 0.003",
            "4.3.2",
            "with 50 items a class the empirical variance is 0.0015 to 0.006",
            Each("{n} items, 50 a class, empirical (× 10⁴)", 15.0, 60.0),
        ),
    ),
    "acis-figure-9": (
        Claim(
            "the MSE of the ACIS estimator tailored to a different model is at most double",
            "Figure 9",
            "at most 2 times that of the model's own labels",
            Each("{a} from {b}, {n} labels: times its own", at_most=2.0),
        ),
        Claim(
            "the F1 estimates have the lowest MSE when curated specifically for the desired model",
            "4.4",
            "other models' labels give at least the MSE of its own",
            Each("{a} from {b}, {n} labels: times its own", at_least=1.0),
        ),
        Claim(
            "competitive with, and sometimes outperform, the best model-specific baseline approaches",
            "Figure 9",
            "at most 1.5 times the MSE of the best baseline, at 10 to 70 labels",
            All(
                tuple(
                    Ratio(f"{{a}} from {{b}}, {n} labels", f"{{a}}, best baseline, {n} labels", at_most=1.5)
                    for n in (10, 30, 70)
                )
            ),
        ),
    ),
    "acis-figure-10": (
        Claim(
            "effectively estimate F1 across the range of thresholds tested",
            "Appendix B",
            "at most 2 times the MSE of labels drawn for the threshold itself",
            Each("threshold {t} from threshold 0.1, {n} labels: times its own", at_most=2.0),
        ),
        Claim(
            "The labeled datasets transfer slightly better to models with lower classifier thresholds",
            "Figure 10",
            "thresholds 0.02 and 0.05 lose no more, times their own, than 0.3 and 0.5",
            All(
                tuple(
                    Ratio(
                        f"threshold {low} from threshold 0.1, {{n}} labels: times its own",
                        f"threshold {high} from threshold 0.1, {{n}} labels: times its own",
                        at_most=1.0,
                    )
                    for low in ("0.02", "0.05")
                    for high in ("0.3", "0.5")
                )
            ),
        ),
    ),
    "acis-figure-11": (
        Claim(
            "ACIS performs better with isotonic regression than with Platt scaling",
            "Figure 11",
            "its MSE is lower, from 30 labels on, where the two differ",
            _lower("isotonic regression, as printed", ("Platt scaling, as printed",), UP_TO_310[1:]),
        ),
    ),
}
