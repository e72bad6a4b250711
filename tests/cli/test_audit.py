"""``mlfs audit``: papers by name, the user's own among them."""

import json

PAPER = "title: Mine\nauthors: [Me]\nvenue: here\nyear: 2024\ntables: {'1': scores}\n"


def test_a_paper_of_the_users_own_is_checked(mlfs, tmp_path):
    folder = tmp_path / "own" / "mine"
    folder.mkdir(parents=True)
    (folder / "paper.yaml").write_text(PAPER)
    (folder / "printed.csv").write_text(
        "table,dataset,method,metric,missing_ratio,mean,printed_rank\n"
        "1,yeast,A,one_error,0,0.25,2\n1,yeast,B,one_error,0,0.35,1\n"
    )
    (folder / "statistics.csv").write_text(
        "place,statistic,tables,metric,method,value\nhere,mean,1,one_error,A,0.27\n"
    )
    env = {"MLFS_PAPERS": str(folder.parent)}
    ran = mlfs("audit", "--paper", "mine", env=env)
    assert ran.returncode == 0
    assert ran.stdout.splitlines() == [
        "mine: 2 printed values and 1 printed statistics; 3 findings, 0 of them",
        "misprinted values",
        "",
        "rank (2): printed ranks that the printed values contradict",
        "  table 1, yeast, A, one error: printed rank 2, but .25 has rank 1",
        "  table 1, yeast, B, one error: printed rank 1, but .35 has rank 2",
        "",
        "mean (1): means that do not follow from the values",
        "  table 1, A, one error: printed .27; the printed values give .25",
        "",
        "Next: mlfs scorecard",
    ]
    data = json.loads(mlfs("audit", "--paper", "mine", "--format", "json", env=env).stdout)
    assert [finding["rule"] for finding in data["mine"]] == ["rank", "rank", "mean"]
    assert mlfs("audit", "--paper", "mine", "--format", "md", env=env).stdout.splitlines() == [
        "## Mine",
        "",
        "mine: 2 printed values and 1 printed statistics; 3 findings, 0 of them misprinted values.",
        "",
        "### Printed ranks that the printed values contradict (2)",
        "",
        "- table 1, yeast, A, one error: printed rank 2, but .25 has rank 1",
        "- table 1, yeast, B, one error: printed rank 1, but .35 has rank 2",
        "",
        "### Means that do not follow from the values (1)",
        "",
        "- table 1, A, one error: printed .27; the printed values give .25",
    ]
    (folder / "statistics.csv").write_text(
        "place,statistic,tables,metric,method,value\nhere,median,1,one_error,A,0.27\n"
    )
    # another process would read the file again
    from mlfs.papers import files

    files.read_table.cache_clear()
    ran = mlfs("audit", "--paper", "mine", env=env)
    assert ran.returncode == 2
    assert "statistics.csv, line 2: unknown statistic 'median' (known: average_rank" in ran.stderr


def test_an_unknown_paper_is_refused_with_those_that_are_known(mlfs):
    ran = mlfs("audit", "--paper", "rmlf")
    assert ran.returncode == 2
    assert "unknown paper 'rmlf'; did you mean 'rmfl'?" in ran.stderr
    assert "Traceback" not in ran.stderr
