"""The pipeline of reports: from a first demand to a file that can be downloaded."""

from typing import Any

from ingestion.models import Report
from ingestion.states import REPORT_MOVES, REPORT_TERMINAL, ReportState
from ingestion.steps.build_report import build_report
from work.pipelines import Ending, Pipeline, Step


def failed(report: Report, code: str, detail: dict[str, Any]) -> Ending:
    """The next demand makes another report."""
    return Ending(ReportState.FAILED)


REPORTS = Pipeline(
    name="report",
    title="Reports of refused rows",
    model=Report,
    steps=(Step("build_report", build_report),),
    initial=ReportState.REQUESTED,
    running=ReportState.BUILDING,
    terminal=REPORT_TERMINAL,
    on_failure=failed,
    moves=REPORT_MOVES,
)
