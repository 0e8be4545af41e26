"""What the papers say that their own numbers, or their published code, contradict; each with its arithmetic."""

ERRATA = (
    (
        "[Ji21] Tables 3, 5, 8: N is 10 (⌊N/10⌋ + 1)",
        "the published code reads its log one slot late. SVHN, UPrior, “N = 20” prints 13.7; the exact mean is 19.1 at "
        "20 labels and 13.7 at 30.",
    ),
    (
        "[Ji21] Tables 3–6, 8: UPrior has strength 1e-6, not 2",
        "it is the plain frequency, 0.5 without labels. CIFAR-100 at N = 200 prints 30.7; Beta(1, 1) gives 21.1, "
        "strength 1e-6 gives 30.8.",
    ),
    (
        "[Ji21] Table 3: “improves in 11 of the 15 results”",
        "in the printed cells IPrior+TS is lower in 10, equal in one (ImageNet, 13.2 and 13.2) and higher in 4.",
    ),
    (
        "[Ji21] Table 4 holds no label",
        "counts are added at the predicted class, the truth is the end of such a run, the numbers are ratios of "
        "squares. The columns come out from the classes' sizes and mean scores alone (SVHN: all nine from the papers' "
        "own file).",
    ),
    (
        "[Ji21] Table 4: “one plausible explanation is that the accuracy on DBpedia is 99 %”",
        "the 0.000 says that no class of 14 was without a label in 1,000 runs: 14 (13/14)^140 × 1,000 = 0.44 runs.",
    ),
    (
        "[Ji21] Table 5: truth and estimate are two quantities",
        "ECE on 20 bins of equal width against 10 bins of equal size; the error does not tend to zero.",
    ),
    (
        "[Ji21] Table 6: “the mean percentage of labeled examples needed”",
        "it is where the average over 1,000 runs first passes 0.99, so the number of its slowest runs. “For all 5 "
        "datasets the active method clearly outperforms”: the table's DBpedia row has 11.6 against 8.0 and 7.6.",
    ),
    (
        "[Ji21] Table 7: a run that never succeeds counts as one label, and superclass labels are predictions",
        "5 % to 35 % is what the printed row of ratios gives (121.9/129.0 = 0.94 to 2.8/4.3 = 0.65); 4.3 and 2.8 "
        "labels for two groups of 5,000 are hits of the prior, not evidence.",
    ),
    (
        "[Ji21] Table 9: 90.0 means “not before everything was labelled”",
        "nine tenths of the pool are used, 99 labels added, and the sum is divided by the whole.",
    ),
    (
        "[Ji21] Tables 10, 11: with factor 1 both matrices are the same",
        "their first rows are one experiment: 9.6, 9.4, 5.0 and 9.9, 10.0, 2.2 thousand. “Followed by non-active with "
        "an informative prior and finally random sampling”: of 16 printed pairs IPrior is lower in 3, equal in 6, "
        "higher in 7.",
    ),
    (
        "[Ji21] supplement Figure 12: “97.5 % quantile”",
        "the published bound is the posterior mean plus the posterior variance.",
    ),
    (
        "[Ji21] supplement Algorithm 2: β",
        "the text resamples with probability β, the pseudocode keeps the winner with probability β; the same at β = "
        "1/2.",
    ),
    (
        "[Ji20] v1 Figure 9: the prior Beta(j/10, 1 − j/10)",
        "lies on the upper edges of the bins and is improper for j = 10.",
    ),
    (
        "[Ji19] captions of Figures 7 and 9",
        "name each other's data set: Figure 7 is SVHN, Figure 9 the medical dialogues.",
    ),
    (
        "[ACIS21] Sec. 3.1: the variance is E[Ĝ²] − E[Ĝ]²",
        "printed with the opposite sign.",
    ),
    (
        "[ACIS21] Eq. 5: the sum below runs over all rounds, that above over the last ℓ",
        "unless ℓ = k the weights add up to less than one: with ℓ = 1 of five rounds of equal |W| to 1/5.",
    ),
    (
        "[ACIS21] Sec. 3.3: labelled items count |L|/|X| each",
        "beside n draws of weight p/q an item that stands for itself counts n/|X|. With rounds of 10, 20, 40, 80 the "
        "printed weight is 10/20, 30/40, 70/80 of that: the labels of the first rounds count too little.",
    ),
    (
        "[ACIS21] Figure 6 and Sec. 4.2.2",
        "the caption has all approaches but PLATT outperform RAND, the text has ISO perform no better than RAND below "
        "100.",
    ),
    (
        "[ACIS21] Sec. 4.3: “Formula 4”",
        "the variance is Eq. 6; Eq. 4 is the distribution.",
    ),
)
