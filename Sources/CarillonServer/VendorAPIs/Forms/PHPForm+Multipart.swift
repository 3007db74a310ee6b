import Foundation
import Hummingbird
import NIOCore

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
            let name = try Self.name(inHeader: String(decoding: body[position..<headerEnd.lowerBound], as: UTF8.self))
            try add(name: Array(name.utf8), value: Array(body[headerEnd.upperBound..<end]))
            position = end + delimiter.count
        }
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

    private static func name(inHeader header: String) throws(Failure) -> String {
        let lines = header.split(separator: "\r\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let disposition = lines.first { $0.lowercased().hasPrefix("content-disposition:") } ?? ""
        var name: String?
        for (key, value) in parameters(of: disposition) {
            switch key {
            case "name": name = value
            case "filename", "filename*": throw Failure(field: name, problem: "must be a text, no file")
            default: break
            }
        }
        guard let name else { throw Failure(field: nil, problem: "must have parts with a name") }
        return name
    }

    /// The parameters of a header: `; name="value"`, with `\"` for a quote.
    private static func parameters(of header: String) -> [(String, String)] {
        var found: [(String, String)] = []
        var rest = header.drop { $0 != ";" }
        while rest.first == ";" {
            rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
            let key = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest.dropFirst(key.count)
            var value = ""
            if rest.first == "=" {
                rest = rest.dropFirst()
                let isQuoted = rest.first == "\""
                if isQuoted { rest = rest.dropFirst() }
                while let character = rest.first, isQuoted ? character != "\"" : character != ";" {
                    rest = rest.dropFirst()
                    guard character == "\\", isQuoted, let next = rest.first, next == "\"" || next == "\\" else {
                        value.append(character)
                        continue
                    }
                    value.append(next)
                    rest = rest.dropFirst()
                }
            }
            found.append((key.trimmingCharacters(in: .whitespaces).lowercased(), value))
            rest = rest.drop { $0 != ";" }
        }
        return found
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

extension Request {
    /// Reads the body of a form.
    ///
    /// - Parameter limit: Maximum size in bytes.
    /// - Returns: The fields.
    /// - Throws: ``PHPForm/Failure`` for another content type, and for a body that is too large or malformed.
    func form(upTo limit: Int) async throws -> PHPForm {
        let tooLarge = PHPForm.Failure(field: nil, problem: "must have at most \(limit) bytes")
        let type = first(.contentType) ?? ""
        let isMultipart = type.lowercased().hasPrefix("multipart/form-data")
        guard isMultipart || type.isEmpty || type.lowercased().hasPrefix("application/x-www-form-urlencoded") else {
            throw PHPForm.Failure(field: nil, problem: "must be a form, application/x-www-form-urlencoded")
        }
        if let announced = first(.contentLength).flatMap({ Int($0) }), announced > limit { throw tooLarge }
        var bytes: [UInt8] = []
        for try await part in body {
            guard bytes.count + part.readableBytes <= limit else { throw tooLarge }
            bytes.append(contentsOf: part.readableBytesView)
        }
        guard isMultipart else { return try PHPForm(urlEncoded: bytes) }
        guard let boundary = PHPForm.boundary(of: type) else {
            throw PHPForm.Failure(field: nil, problem: "must have a boundary in its content type")
        }
        return try PHPForm(multipart: bytes, boundary: boundary)
    }
}
