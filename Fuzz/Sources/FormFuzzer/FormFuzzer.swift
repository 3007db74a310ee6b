import Foundation

/// What libFuzzer calls with each input, which is the body of a form: `multipart/form-data` when it begins with a boundary.
///
/// Whatever is read must come out of both of its forms as it was, and be within the limits. It ends the process where
/// that is not so, which is how a fuzzer is told.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzForm(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let body = Array(UnsafeBufferPointer(start: start, count: count))
    if let form = try? PHPForm(urlEncoded: body) { check(form) }
    guard body.starts(with: "--".utf8) else { return 0 }
    let boundary = String(decoding: body.dropFirst(2).prefix { $0 != 0x0D }, as: UTF8.self)
    if let form = try? PHPForm(multipart: body, boundary: boundary) { check(form) }
    return 0
}

/// A value of a form with its name, `name[key][key]`.
private struct Leaf {
    /// How many keys the name has.
    var depth: Int
    var name: [UInt8]
    var value: [UInt8]
}

private func check(_ form: PHPForm) {
    var leaves: [Leaf] = []
    add(form.fields, [], 0, to: &leaves)
    guard leaves.count <= PHPForm.maximumFields else { fatalError("There are too many fields.") }
    guard leaves.allSatisfy({ $0.depth <= PHPForm.maximumDepth }) else { fatalError("A name is too deep.") }
    for name in form.fields.names {
        guard form[name] != nil else { fatalError("A field has no value.") }
        // It is read, or refused because it is a list or no UTF-8.
        _ = try? form.text(name)
    }
    guard (try? PHPForm(urlEncoded: encoded(leaves)))?.fields == form.fields else {
        fatalError("The encoded form differs.")
    }
    guard leaves.allSatisfy({ fitsHeader($0.name) && !mayEnd($0.value) }) else { return }
    guard (try? PHPForm(multipart: parts(leaves), boundary: boundary))?.fields == form.fields else {
        fatalError("The form in parts differs.")
    }
}

/// Adds the values of an array, whose own name is the path.
private func add(_ array: PHPArray, _ path: [UInt8], _ depth: Int, to leaves: inout [Leaf]) {
    guard array.names.count == array.all.count, Set(array.names).count == array.names.count else {
        fatalError("Names and values differ.")
    }
    for (key, value) in zip(array.names, array.all) {
        var name = path
        if path.isEmpty, depth == 0 {
            name += key.utf8
        } else {
            name.append(UInt8(ascii: "["))
            name += key.utf8
            name.append(UInt8(ascii: "]"))
        }
        switch value {
        case .text(let bytes): leaves.append(Leaf(depth: depth, name: name, value: bytes))
        case .array(let inner): add(inner, name, depth + 1, to: &leaves)
        }
    }
}

/// What a form in parts is made with; hardly in an input.
private let boundary = "a boundary that is hardly in an input"
private let digits = Array("0123456789abcdef".utf8)
private let partHead = Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"".utf8)
private let partEnd = Array("--\(boundary)--\r\n".utf8)

private func encoded(_ leaves: [Leaf]) -> [UInt8] {
    var body: [UInt8] = []
    func escape(_ bytes: [UInt8]) {
        for byte in bytes {
            switch byte {
            // Nothing is done to letters and digits, here and where they are read.
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: body.append(byte)
            default:
                body.append(UInt8(ascii: "%"))
                body.append(digits[Int(byte >> 4)])
                body.append(digits[Int(byte & 15)])
            }
        }
    }
    for leaf in leaves {
        if !body.isEmpty { body.append(UInt8(ascii: "&")) }
        escape(leaf.name)
        body.append(UInt8(ascii: "="))
        escape(leaf.value)
    }
    return body
}

private func parts(_ leaves: [Leaf]) -> [UInt8] {
    var body: [UInt8] = []
    for leaf in leaves {
        body += partHead
        for byte in leaf.name {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { body.append(UInt8(ascii: "\\")) }
            body.append(byte)
        }
        body += "\"\r\n\r\n".utf8
        body += leaf.value
        body += "\r\n".utf8
    }
    return body + partEnd
}

/// A header has lines, and a maximum size.
private func fitsHeader(_ name: [UInt8]) -> Bool {
    name.count <= 400 && !name.contains { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
}

/// Whether a value may have a boundary, which is after a line break; a search for it in each value would take longest.
private func mayEnd(_ value: [UInt8]) -> Bool {
    value.contains(UInt8(ascii: "\r")) && value.firstRange(of: boundary.utf8) != nil
}
