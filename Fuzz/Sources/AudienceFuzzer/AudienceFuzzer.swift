import CarillonOperatorModel
import Foundation

/// What libFuzzer calls with each input, which is the text of a rule for Devices, or its JSON.
///
/// Whatever is read must come out of both of its forms as it was; whatever is refused must be refused at a place of the
/// text. It ends the process where that is not so, which is how a fuzzer is told.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAudience(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    let text = String(decoding: bytes, as: UTF8.self)
    do throws(AudienceTextError) {
        check(try AudienceRule(text: text))
    } catch {
        let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
        guard lines.indices.contains(error.line - 1) else { fatalError("There is no line \(error.line).") }
        let length = String(decoding: Array(lines[error.line - 1]), as: UTF8.self).count
        guard (1...length + 1).contains(error.column) else { fatalError("There is no column \(error.column).") }
    }
    if bytes.first == UInt8(ascii: "{"), let rule = try? JSONDecoder().decode(AudienceRule.self, from: Data(bytes)) {
        check(rule)
    }
    return 0
}

private func check(_ rule: AudienceRule) {
    guard (try? AudienceRule(text: rule.text)) == rule else { fatalError("The text says something else.") }
    let json = try? JSONEncoder().encode(rule)
    guard let json, (try? JSONDecoder().decode(AudienceRule.self, from: json)) == rule else {
        fatalError("The JSON says something else.")
    }
}
