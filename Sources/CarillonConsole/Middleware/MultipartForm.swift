import Foundation

/// Reads `multipart/form-data`: a form with a file, whose text is the value of its field.
enum MultipartForm {
    /// The type of its bodies.
    static let type = "multipart/form-data"
    /// Maximum length of the header fields of a part in bytes.
    private static let headLimit = 1_024

    /// Reads the fields of a body.
    ///
    /// - Parameters:
    ///   - bytes: The body.
    ///   - contentType: Its type, which has the boundary.
    /// - Returns: The fields; `nil` when it is no such form, or a value is not UTF-8.
    static func read(_ bytes: [UInt8], _ contentType: String) -> FormFields? {
        guard let boundary = parameter("boundary", of: contentType), (1...70).contains(boundary.utf8.count) else {
            return nil
        }
        let delimiter = Array("--\(boundary)".utf8)
        guard bytes.starts(with: delimiter) else { return nil }
        var fields: [(name: String, value: String)] = []
        var place = delimiter.count
        while true {
            let rest = bytes[place...]
            // Two hyphens end the last part.
            if rest.starts(with: [0x2D, 0x2D]) { return FormFields(fields) }
            guard rest.starts(with: [0x0D, 0x0A]), fields.count < FormFields.maximum,
                let head = end(of: [0x0D, 0x0A, 0x0D, 0x0A], in: bytes, from: place, within: headLimit),
                let next = end(of: [0x0D, 0x0A] + delimiter, in: bytes, from: head - 2),
                let lines = String(validating: bytes[place..<head], as: UTF8.self),
                let name = name(lines)
            else { return nil }
            let end = max(head, next - delimiter.count - 2)
            guard let value = String(validating: bytes[head..<end], as: UTF8.self) else { return nil }
            fields.append((name, value))
            place = next
        }
    }

    // MARK: - Private

    /// The place behind the first occurrence of some bytes.
    private static func end(
        of wanted: [UInt8],
        in bytes: [UInt8],
        from start: Int,
        within limit: Int = .max
    ) -> Int? {
        let last = min(bytes.count, limit < bytes.count ? start + limit : bytes.count) - wanted.count
        guard start <= last else { return nil }
        return bytes.withUnsafeBufferPointer { bytes in
            for place in start...last where bytes[place] == wanted[0] {
                if zip(bytes[place...], wanted).allSatisfy({ $0 == $1 }) { return place + wanted.count }
            }
            return nil
        }
    }

    /// The field's name, of the line `Content-Disposition: form-data; name="file"`.
    private static func name(_ lines: String) -> String? {
        let line = lines.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-disposition:") }
        return line.flatMap { parameter("name", of: String($0)) }
    }

    /// A parameter of a header field's value.
    private static func parameter(_ name: String, of text: String) -> String? {
        for part in text.split(separator: ";").dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, String(pair[0]).trimmed.lowercased() == name else { continue }
            let value = String(pair[1]).trimmed
            return value.hasPrefix("\"") && value.hasSuffix("\"") && value.count > 1
                ? String(value.dropFirst().dropLast()) : value
        }
        return nil
    }
}
