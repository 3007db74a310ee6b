import Dispatch

extension ContentFile {
    /// Files take seconds to read: they have threads of their own, so that no request waits for them.
    private static let queue = DispatchQueue(label: "carillon.content.files", qos: .utility, attributes: .concurrent)

    /// Reads a file apart from the tasks of requests; see ``init(_:_:for:table:limits:)``.
    static func reading(
        _ bytes: [UInt8],
        _ format: ContentFormat,
        for definition: ContentSetDefinition,
        table: String?,
        limits: Limits
    ) async throws(ContentFileProblem) -> ContentFile {
        let result: Result<ContentFile, ContentFileProblem> = await withCheckedContinuation { continuation in
            queue.async {
                let result = Result { () throws(ContentFileProblem) in
                    try ContentFile(bytes, format, for: definition, table: table, limits: limits)
                }
                continuation.resume(returning: result)
            }
        }
        return try result.get()
    }
}
