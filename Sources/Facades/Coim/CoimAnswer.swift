import Foundation

/// The server's answer: `errCode`, `message`, and mostly `value` or `token`.
///
/// Unchecked: nobody changes what `JSONSerialization` has made.
struct CoimAnswer: @unchecked Sendable {
    let data: Data
    let values: [String: Any]

    /// Reads a body.
    ///
    /// - Throws: ``CoimError`` when it is no JSON object.
    init(_ data: Data) throws {
        guard let values = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw CoimError.notJSON
        }
        self.data = data
        self.values = values
    }

    var isSuccess: Bool { Self.errCode(values) == 0 }

    /// A new token; empty when the request's token is invalid, and `nil` when nothing is to be changed.
    var token: String? { values["token"] as? String }

    /// The id by which a new account is activated.
    var activation: String? { CoimParameters.plain(Self.value(values)["actID"]) }

    // MARK: - Parts, with the vendor's defaults

    static func errCode(_ answer: [AnyHashable: Any]) -> Int {
        let code = answer["errCode"]
        return (code as? NSNumber)?.intValue ?? (code as? Int) ?? (code as? String).flatMap(Int.init) ?? -5000
    }

    static func message(_ answer: [AnyHashable: Any]) -> String { answer["message"] as? String ?? "" }

    static func value(_ answer: [AnyHashable: Any]) -> [AnyHashable: Any] {
        answer["value"] as? [AnyHashable: Any] ?? [:]
    }

    static func list(_ answer: [AnyHashable: Any]) -> [Any] { value(answer)["list"] as? [Any] ?? [] }
}
