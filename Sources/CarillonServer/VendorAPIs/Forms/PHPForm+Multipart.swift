/// `multipart/form-data` (RFC 7578), which PHP's curl sends for an array of fields.
extension PHPForm {
    /// Reads `multipart/form-data`.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - boundary: The text between its parts, 1 through 70 bytes.
    /// - Throws: ``Failure`` for a file, a part without a name, and a body that does not end as it must.
    init(multipart body: [UInt8], boundary: String) throws(Failure) {
        self.init()
        var reader = try MultipartReader(body, boundary: boundary)
        while let part = try reader.next() {
            guard part.fileName == nil else {
                let field = part.name.map { String(decoding: $0, as: UTF8.self) }
                throw Failure(field: field, problem: "must be a text, no file")
            }
            guard let name = part.name else { throw Failure(field: nil, problem: "must have parts with a name") }
            try add(name: name, value: Array(part.value))
        }
    }

    /// Reads the parts that are complete in the beginning of a body.
    init(multipartHead head: [UInt8], boundary: String) throws(Failure) {
        let delimiter = Array(("\r\n--" + boundary).utf8)
        var end: Int?
        while let next = head.firstIndex(of: delimiter, from: end ?? 0) { end = next + delimiter.count }
        guard let end else {
            self.init()
            return
        }
        try self.init(multipart: head[..<end] + Array("--".utf8), boundary: boundary)
    }
}
