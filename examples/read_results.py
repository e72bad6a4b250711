"""Read stored results into pandas, summarise them, and draw a figure of your own."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import mlfs

CONFIG = """
name: to_read
protocol: selection
datasets: [planted]
split: {kind: holdout, repeats: 3}
methods: [fsnm, top_mi, random]
sizes: [2, 5, 10, 20]
metrics: [average_precision]
"""

if __name__ == "__main__":
    Path("to_read.yaml").write_text(CONFIG)
    mlfs.run("to_read.yaml")

    # nothing is run from here on: any folder with results or packed file works
    frame = mlfs.load_results("results/to_read").frame
    curves = frame.groupby(["method", "n_features"])["average_precision"].agg(["mean", "std"])
    print(curves.round(3))

    figure, axes = plt.subplots()
    for method, part in curves.groupby("method"):
        sizes = part.index.get_level_values("n_features")
        axes.errorbar(sizes, part["mean"], part["std"], label=method, capsize=2)
    axes.set(xlabel="number of features", ylabel="average precision")
    axes.legend()
    figure.savefig("curves.png")
