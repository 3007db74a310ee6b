import CarillonEngine
import CarillonOperatorModel
import Foundation
import HTTPTypes
import Hummingbird

/// The console's cookies: the session, the theme, what is told once, and a sign-in that has begun elsewhere.
struct ConsoleCookies: Sendable {
    let isEncrypted: Bool

    /// With the prefix a browser takes it over TLS alone, and from this host alone.
    private func name(_ rest: String) -> String {
        (isEncrypted ? "__Host-carillon" : "carillon-dev") + (rest.isEmpty ? "" : "-" + rest)
    }

    var session: String { name("") }
    var theme: String { name("theme") }
    var notice: String { name("notice") }

    /// The value of the session's cookie, whether there is such a session or not.
    func sessionValue(_ cookies: Cookies) -> String? {
        guard let value = cookies[session]?.value, value.utf8.count == 43 else { return nil }
        return value
    }

    func theme(_ cookies: Cookies) -> Operator.Theme { cookies[theme].flatMap { .init(rawValue: $0.value) } ?? .system }

    func notice(_ cookies: Cookies) -> Notice? {
        guard let value = cookies[notice]?.value, value.utf8.count <= 2_048,
            let text = value.removingPercentEncoding
        else { return nil }
        return try? JSONDecoder().decode(Notice.self, from: Data(text.utf8))
    }

    /// What the browser keeps until the provider leads it back.
    func pending(_ cookies: Cookies) -> String? {
        guard let value = cookies[name("provider")]?.value, value.utf8.count <= PendingSignIn.limit else { return nil }
        return value.isEmpty ? nil : value
    }

    /// Sets what the browser keeps until the provider leads it back; `nil` when it did.
    func setPending(_ sealed: String?, in response: inout Response) {
        set(name("provider"), sealed ?? "", maxAge: sealed == nil ? 0 : 600, in: &response)
    }

    func setSession(_ value: String, in response: inout Response) { set(session, value, in: &response) }

    func setTheme(_ theme: Operator.Theme, in response: inout Response) {
        set(self.theme, theme.rawValue, maxAge: 31_536_000, in: &response)
    }

    /// Sets what the next page tells; `nil` when it was told.
    func setNotice(_ notice: Notice?, in response: inout Response) {
        guard let notice else { return set(self.notice, "", maxAge: 0, in: &response) }
        guard let data = try? JSONEncoder().encode(notice) else { return }
        set(self.notice, FormFields.escaped(String(decoding: data, as: UTF8.self)), maxAge: 60, in: &response)
    }

    func endSession(in response: inout Response) { set(session, "", maxAge: 0, in: &response) }

    /// Lax and not strict, so that a link in a mail finds the session.
    private func set(_ name: String, _ value: String, maxAge: Int? = nil, in response: inout Response) {
        let text =
            "\(name)=\(value); Path=/; HttpOnly; SameSite=Lax" + (isEncrypted ? "; Secure" : "")
            + (maxAge.map { "; Max-Age=\($0)" } ?? "")
        response.headers.append(HTTPField(name: .setCookie, value: text))
    }
}
