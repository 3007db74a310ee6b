import Foundation

/// `multipart/form-data` (RFC 7578), which PHP's curl sends for an array of fields.
extension PHPForm {
    /// Maximum size of the header of one part in bytes.
    private static let headerLimit = 1_024

    /// Reads `multipart/form-data`.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - boundary: The text between its parts, 1 through 70 bytes.
    /// - Throws: ``Failure`` for a file, a part without a name, and a body that does not end as it must.
    init(multipart body: [UInt8], boundary: String) throws(Failure) {
        self.init()
        let mark = Array(("--" + boundary).utf8)
        let delimiter = Array("\r\n".utf8) + mark
        guard (1...70).contains(boundary.utf8.count), var position = Self.start(of: body, mark, delimiter) else {
            throw Failure(field: nil, problem: "must begin with its boundary")
        }
        while !body[position...].starts(with: "--".utf8) {
            guard body[position...].starts(with: "\r\n".utf8) else {
                throw Failure(field: nil, problem: "must have a line break after its boundary")
            }
            // The break before an empty header is also the one after the boundary.
            guard let headerEnd = body[position...].prefix(Self.headerLimit).firstRange(of: "\r\n\r\n".utf8) else {
                throw Failure(field: nil, problem: "must have parts with a header of at most \(Self.headerLimit) bytes")
            }
            guard let end = body.firstIndex(of: delimiter, from: headerEnd.upperBound) else {
                throw Failure(field: nil, problem: "must end with its boundary")
            }
            let name = try Self.name(inHeader: body[position..<headerEnd.lowerBound])
            try add(name: name, value: Array(body[headerEnd.upperBound..<end]))
            position = end + delimiter.count
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

    /// The boundary in a content type.
    static func boundary(of contentType: String) -> String? {
        for parameter in contentType.split(separator: ";").dropFirst() {
            let parts = parameter.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, parts[0].lowercased() == "boundary" else { continue }
            let isQuoted = parts[1].count > 1 && parts[1].hasPrefix("\"") && parts[1].hasSuffix("\"")
            return isQuoted ? String(parts[1].dropFirst().dropLast()) : parts[1]
        }
        return nil
    }

    // MARK: - Private

    /// The place after the first boundary; what is before it is ignored.
    private static func start(of body: [UInt8], _ mark: [UInt8], _ delimiter: [UInt8]) -> Int? {
        if body.starts(with: mark) { return mark.count }
        return body.firstIndex(of: delimiter, from: 0).map { $0 + delimiter.count }
    }

    /// The name of a part; read as bytes, since a character may be a quote with an accent.
    private static func name(inHeader header: ArraySlice<UInt8>) throws(Failure) -> [UInt8] {
        let lines = header.split { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
        let disposition = lines.first { lowercased(trimmed($0)).starts(with: "content-disposition:".utf8) } ?? []
        var name: [UInt8]?
        for (key, value) in parameters(of: disposition) {
            switch key {
            case "name": name = value
            case "filename", "filename*":
                let field = name.map { String(decoding: $0, as: UTF8.self) }
                throw Failure(field: field, problem: "must be a text, no file")
            default: break
            }
        }
        guard let name else { throw Failure(field: nil, problem: "must have parts with a name") }
        return name
    }

    /// The parameters of a header: `; name="value"`, with `\"` for a quote.
    private static func parameters(of header: ArraySlice<UInt8>) -> [(String, [UInt8])] {
        let (semicolon, quote, backslash) = (UInt8(ascii: ";"), UInt8(ascii: "\""), UInt8(ascii: "\\"))
        let equals = UInt8(ascii: "=")
        var found: [(String, [UInt8])] = []
        var rest = header.drop { $0 != semicolon }
        while rest.first == semicolon {
            rest = rest.dropFirst()
            let key = rest.prefix { $0 != equals && $0 != semicolon }
            rest = rest.dropFirst(key.count)
            var value: [UInt8] = []
            if rest.first == equals {
                rest = rest.dropFirst()
                let isQuoted = rest.first == quote
                if isQuoted { rest = rest.dropFirst() }
                while let byte = rest.first, byte != (isQuoted ? quote : semicolon) {
                    rest = rest.dropFirst()
                    guard byte == backslash, isQuoted, let next = rest.first, next == quote || next == backslash else {
                        value.append(byte)
                        continue
                    }
                    value.append(next)
                    rest = rest.dropFirst()
                }
            }
            found.append((String(decoding: lowercased(trimmed(key)), as: UTF8.self), value))
            rest = rest.drop { $0 != semicolon }
        }
        return found
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let start = bytes.drop(while: isBlank)
        return start.prefix(start.count - start.reversed().prefix(while: isBlank).count)
    }

    private static func lowercased(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        bytes.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    }
}

extension [UInt8] {
    /// The first place of some bytes that begin with a line break; each byte of the array is compared a few times only.
    fileprivate func firstIndex(of delimiter: [UInt8], from start: Int) -> Int? {
        var index = start
        while index + delimiter.count <= count {
            guard let found = self[index...].firstIndex(of: delimiter[0]), found + delimiter.count <= count else {
                return nil
            }
            if self[found..<found + delimiter.count].elementsEqual(delimiter) { return found }
            index = found + 1
        }
        return nil
    }
}
