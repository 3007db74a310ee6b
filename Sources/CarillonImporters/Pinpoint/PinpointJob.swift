import CarillonModel
import CarillonReaders

/// What an export job says of its files: how many there are, and of how many endpoints.
package struct PinpointJob: Hashable, Sendable {
    /// The pieces that the job completed, a file each.
    package var pieces: Int
    /// The endpoints of all pieces, if that is known.
    package var endpoints: Int?

    package init(pieces: Int) { self.pieces = pieces }

    /// Reads the answer of GetExportJob: an ExportJobResponse, or an object around it.
    ///
    /// - Throws: ``SourceProblem`` when it is none, or when the job has not completed all of its pieces: what those would
    ///   have had is nowhere.
    package init(_ bytes: [UInt8]) throws(SourceProblem) {
        guard let value = try? JSONParser.value(bytes[...]) else { throw SourceProblem("is not JSON") }
        let job = value["ExportJobResponse"] ?? value
        guard let status = job["JobStatus"]?.string, let completed = job["CompletedPieces"]?.count else {
            throw SourceProblem("is not the answer of GetExportJob: it has no JobStatus or CompletedPieces")
        }
        let failed = job["FailedPieces"]?.count ?? 0
        guard status == "COMPLETED" || status == "FAILED" else {
            throw SourceProblem("says that the job is \(status); wait until it is COMPLETED, and fetch its files then")
        }
        guard failed == 0, status == "COMPLETED" else {
            throw SourceProblem(
                "says that the job is \(status) and \(failed) pieces failed: their endpoints are in no file. Without "
                    + "--job, --pieces \(completed) imports the others"
            )
        }
        if let total = job["TotalPieces"]?.count, total != completed {
            throw SourceProblem("says that \(completed) of \(total) pieces are completed: the export is not whole")
        }
        pieces = completed
        endpoints = job["TotalProcessed"]?.count
    }

    /// The problem of an import with so many files; `nil` when all are there.
    package func objection(files: Int) -> String? {
        files == pieces
            ? nil : "\(pieces) parts are expected, and there are \(files). Fetch all objects under the job's S3 prefix."
    }

    /// The problem of an import with so many rows; `nil` when all are there, or nobody knows.
    package func objection(rows: Int) -> String? {
        guard let endpoints, rows < endpoints else { return nil }
        return "The job processed \(endpoints) endpoints, and the files have \(rows) rows. Fetch them again."
    }
}

extension JSONValue {
    fileprivate var count: Int? {
        if case .integer(let count) = self, count >= 0 { Int(count) } else { nil }
    }
}
