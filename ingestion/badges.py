"""How the states of uploads and their reports look, and what each says. The words are the states' names."""

from work.badges import Badge, register


def register_badges() -> None:
    register("upload", title="Uploads", badges=UPLOAD)
    register("report", title="Reports of refused rows", badges=REPORT)


UPLOAD = {
    "accepted": Badge("waiting", "Accepted", "The file is kept. Nothing has been read yet."),
    "processing": Badge("running", "Processing", "A worker reads, checks or stores it."),
    "needs_answer": Badge("asking", "Needs answer", "Only its owner can decide how it is to be read."),
    "processed": Badge("done", "Processed", "Every row that holds data is stored. None was refused."),
    "partial": Badge("part", "Partial", "Some rows are stored; the others were refused and can be mended."),
    "failed": Badge("bad", "Failed", "Nothing is stored. The page says why, and what to do."),
    "cancelled": Badge("cancelled", "Cancelled", "Withdrawn before its verdict. Nothing of it is stored."),
}

REPORT = {
    "requested": Badge("waiting", "Requested", "Asked for; a worker will build it."),
    "building": Badge("running", "Building", "A worker writes the file."),
    "built": Badge("done", "Built", "The file can be downloaded."),
    "failed": Badge("bad", "Failed", "The file could not be built. Ask for it again."),
}
