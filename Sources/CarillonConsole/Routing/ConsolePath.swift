import CarillonModel
import CarillonOperatorModel

/// The addresses of pages, as values: a template has no path that begins with an App's.
enum ConsolePath {
    static let root = "/console"
    static let home = "/console/"
    static let login = "/console/login"
    static let provider = "/console/login/provider"
    static let code = "/console/login/code"
    static let enrolment = "/console/login/second-factor"
    static let setup = "/console/setup"
    static let fresh = "/console/login/again"
    static let account = "/console/account"
    static let operators = "/console/operators"

    static func app(_ app: AppID) -> String { "/console/apps/\(app)" }

    /// A page of an App: `devices`, `campaigns/…`.
    static func app(_ app: AppID, _ page: String) -> String { "/console/apps/\(app)/\(page)" }

    /// A path of the console's own that somebody may be sent to; `nil` for every other text.
    ///
    /// - Parameter text: What a form or a query says: with another host, scheme or two slashes it is none.
    /// - Returns: The same text.
    static func own(_ text: String?) -> String? {
        guard let text, text.utf8.count <= 2_048, text == root || text.hasPrefix("/console/"),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
        else { return nil }
        let path = text.prefix { $0 != "?" }
        guard !path.contains("//"), !path.split(separator: "/").contains(where: { $0 == ".." || $0 == "." }) else {
            return nil
        }
        return text
    }
}
