import Foundation

/// Goes through the parts of `multipart/form-data` (RFC 7578).
struct MultipartReader {
    /// A field of the form.
    struct Part {
        /// Bytes, since a character may be a quote with an accent; `nil` for a part without a name.
        var name: [UInt8]?
        /// The name of a file; `nil` for a text.
        var fileName: [UInt8]?
        var value: ArraySlice<UInt8>
    }

    typealias Failure = PHPForm.Failure

    /// Maximum size of the header of one part in bytes.
    private static let headerLimit = 1_024
    /// What ends the header of a part.
    private static let headerEnd = Array("\r\n\r\n".utf8)

    private let body: [UInt8]
    private let delimiter: [UInt8]
    /// Behind the last delimiter.
    private var position: Int

    /// Goes to the first part; what is before it is ignored.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - boundary: The text between its parts, 1 through 70 bytes.
    /// - Throws: ``Failure`` when there is no boundary.
    init(_ body: [UInt8], boundary: String) throws(Failure) {
        let mark = Array(("--" + boundary).utf8)
        delimiter = Array("\r\n".utf8) + mark
        guard (1...70).contains(boundary.utf8.count), let position = Self.start(of: body, mark, delimiter) else {
            throw Failure(field: nil, problem: "must begin with its boundary")
        }
        (self.body, self.position) = (body, position)
    }

    /// The next part; `nil` after the last one.
    ///
    /// - Throws: ``Failure`` for a body that does not end as it must.
    mutating func next() throws(Failure) -> Part? {
        if body[position...].starts(with: "--".utf8) { return nil }
        guard body[position...].starts(with: "\r\n".utf8) else {
            throw Failure(field: nil, problem: "must have a line break after its boundary")
        }
        // The break before an empty header is also the one after the boundary.
        let limit = position + Self.headerLimit
        guard let headerEnd = body.firstIndex(of: Self.headerEnd, from: position, until: limit) else {
            throw Failure(field: nil, problem: "must have parts with a header of at most \(Self.headerLimit) bytes")
        }
        let start = headerEnd + Self.headerEnd.count
        guard let end = body.firstIndex(of: delimiter, from: start) else {
            throw Failure(field: nil, problem: "must end with its boundary")
        }
        var part = Part(value: body[start..<end])
        Self.readNames(inHeader: body[position..<headerEnd], into: &part)
        position = end + delimiter.count
        return part
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

    private static func start(of body: [UInt8], _ mark: [UInt8], _ delimiter: [UInt8]) -> Int? {
        if body.starts(with: mark) { return mark.count }
        return body.firstIndex(of: delimiter, from: 0).map { $0 + delimiter.count }
    }

    private static func readNames(inHeader header: ArraySlice<UInt8>, into part: inout Part) {
        let lines = header.split { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
        let disposition = lines.first { lowercased(trimmed($0)).starts(with: "content-disposition:".utf8) } ?? []
        for (key, value) in parameters(of: disposition) {
            switch key {
            case "name": part.name = value
            case "filename": part.fileName = value
            // The other form is not for forms (RFC 7578, 4.2); it makes a file all the same.
            case "filename*": part.fileName = part.fileName ?? []
            default: break
            }
        }
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
    ///
    /// - Parameters:
    ///   - delimiter: The bytes.
    ///   - start: Where the search begins.
    ///   - limit: The bytes are found before it; the array's end when it is `nil` or beyond.
    /// - Returns: `nil` when they are not there.
    func firstIndex(of delimiter: [UInt8], from start: Int, until limit: Int? = nil) -> Int? {
        let limit = Swift.min(limit ?? count, count)
        var index = start
        while index + delimiter.count <= limit {
            guard let found = self[index..<limit].firstIndex(of: delimiter[0]), found + delimiter.count <= limit else {
                return nil
            }
            if self[found..<found + delimiter.count].elementsEqual(delimiter) { return found }
            index = found + 1
        }
        return nil
    }
}
