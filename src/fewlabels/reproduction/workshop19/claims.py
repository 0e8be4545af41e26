"""What the workshop paper, [Ji19], claims, and the rules that judge it."""

from fewlabels.reproduction.base.claims import Claim, Each

_FASTER = Each("{pool}, top 1, accuracy: Active − Random", at_least=0.05, variant="as stated")

CLAIMS = {
    "workshop-figure-2": (
        Claim(
            "the least accurate predicted class is very likely lizard",
            "Figure 2",
            "its probability of being the least accurate is above 50 %",
            Each("% probability that lizard is least accurate", at_least=50.0),
        ),
    ),
    "workshop-figure-3": (
        Claim(
            "In all of the trials, the correct class is identified within 3000 queries",
            "6.3",
            "every run names the class at 3,000 labels",
            Each("% of runs that name the class at 3,000 labels, active", at_least=100.0),
        ),
        Claim(
            "able to identify the least accurate class much quicker than using random selection",
            "Figure 3",
            "the share of runs that name it is higher by 0.05 or more, on average over the labels",
            _FASTER,
        ),
    ),
    "workshop-figure-5": (
        Claim(
            "there appears to be positive bias for all classes",
            "Figure 5, SVHN",
            "the mean calibration bias of every class is above zero",
            Each("least calibration bias of a class, %", at_least=0.0),
        ),
        Claim(
            "we cannot reject the hypothesis that there is no bias for the classes two and seven at the 95% level",
            "Figure 5, SVHN",
            "the 95 % intervals of just two classes hold zero",
            Each("classes whose 95 % interval of bias holds zero", 2.0, 2.0),
        ),
    ),
    "workshop-figure-6": (
        Claim(
            "It is highly probable that the least accurate predicted class is nine",
            "Figure 6, SVHN",
            "its probability of being the least accurate is above 50 %",
            Each("% probability that 9 is least accurate", at_least=50.0),
        ),
        Claim(
            "It is highly probable that the most accurate predicted class is two",
            "Figure 6, SVHN",
            "its probability of being the most accurate is above 50 %",
            Each("% probability that 2 is most accurate", at_least=50.0),
        ),
    ),
    "workshop-figure-7": (
        Claim(
            "less significant improvement with active learning is observed",
            "Figure 7, SVHN",
            "the share of runs that name the least accurate class is higher by less than 0.2 on average",
            Each("SVHN, top 1, accuracy: Active − Random", at_most=0.2, variant="as stated"),
        ),
    ),
    "workshop-figure-10": (
        Claim("detects the correct class within less than 500 queries", "Figure 10", "active is quicker", _FASTER),
    ),
}
