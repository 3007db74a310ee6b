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
    var first: String
    var keys: [String]
    var value: [UInt8]

    var name: String { first + keys.map { "[\($0)]" }.joined() }
}

private func check(_ form: PHPForm) {
    let leaves = leaves(of: form.fields, [])
    guard leaves.count <= PHPForm.maximumFields else { fatalError("There are too many fields.") }
    guard leaves.allSatisfy({ $0.keys.count <= PHPForm.maximumDepth }) else { fatalError("A name is too deep.") }
    for name in form.fields.names {
        guard form[name] != nil else { fatalError("A field has no value.") }
        // It is read, or refused because it is a list or no UTF-8.
        _ = try? form.text(name)
    }
    guard (try? PHPForm(urlEncoded: encoded(leaves)))?.fields == form.fields else {
        fatalError("The encoded form differs.")
    }
    let boundary = "a boundary that is hardly in an input"
    guard leaves.allSatisfy({ fitsHeader($0.name) && $0.value.firstRange(of: boundary.utf8) == nil }) else { return }
    guard (try? PHPForm(multipart: parts(leaves, boundary), boundary: boundary))?.fields == form.fields else {
        fatalError("The form in parts differs.")
    }
}

private func leaves(of array: PHPArray, _ path: [String]) -> [Leaf] {
    guard array.names.count == array.all.count, Set(array.names).count == array.names.count else {
        fatalError("Names and values differ.")
    }
    return zip(array.names, array.all).flatMap { name, value in
        let path = path + [name]
        switch value {
        case .text(let bytes): return [Leaf(first: path[0], keys: Array(path.dropFirst()), value: bytes)]
        case .array(let inner): return leaves(of: inner, path)
        }
    }
}

private func encoded(_ leaves: [Leaf]) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    var body: [UInt8] = []
    func escape(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            body.append(UInt8(ascii: "%"))
            body.append(digits[Int(byte >> 4)])
            body.append(digits[Int(byte & 15)])
        }
    }
    for leaf in leaves {
        if !body.isEmpty { body.append(UInt8(ascii: "&")) }
        escape(leaf.name.utf8)
        body.append(UInt8(ascii: "="))
        escape(leaf.value)
    }
    return body
}

private func parts(_ leaves: [Leaf], _ boundary: String) -> [UInt8] {
    var body: [UInt8] = []
    for leaf in leaves {
        body += "--\(boundary)\r\nContent-Disposition: form-data; name=\"".utf8
        for byte in leaf.name.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { body.append(UInt8(ascii: "\\")) }
            body.append(byte)
        }
        body += "\"\r\n\r\n".utf8
        body += leaf.value
        body += "\r\n".utf8
    }
    return body + Array("--\(boundary)--\r\n".utf8)
}

/// A header has lines, and a maximum size.
private func fitsHeader(_ name: String) -> Bool {
    name.utf8.count <= 400 && !name.utf8.contains { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
}
