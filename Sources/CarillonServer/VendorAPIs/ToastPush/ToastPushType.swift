import CarillonModel

/// The vendor's words for push types.
enum ToastPushType {
    private static let words: [(word: String, type: PushType)] = [
        ("APNS", .apns), ("APNS_SANDBOX", .apnsSandbox), ("APNS_VOIP", .apnsVoIP),
        ("APNS_SANDBOXVOIP", .apnsVoIPSandbox),
    ]
    /// Of other platforms, which the server does not send to.
    static let foreign: Set<String> = ["FCM", "GCM", "TENCENT", "ADM"]

    static func word(_ type: PushType) -> String { words.first { $0.type == type }?.word ?? "APNS" }

    /// Parses a word; `nil` for one of another platform.
    ///
    /// - Throws: A failure for an unknown word.
    static func type(_ word: String, _ field: String) throws -> PushType? {
        if let type = words.first(where: { $0.word == word })?.type { return type }
        guard foreign.contains(word) else { throw ToastFailure(.invalid, field, word) }
        return nil
    }

    /// Parses a word of Apple's platform.
    ///
    /// - Throws: A failure for any other word.
    static func apple(_ word: String, _ field: String) throws -> PushType {
        guard let type = try type(word, field) else {
            throw ToastFailure(.invalid, field, word, problem: "only Apple's push types are served")
        }
        return type
    }
}

/// A token as the vendor writes it: a tenant may follow it, `…#tenant=shop`.
struct ToastToken: Hashable {
    private static let mark = "#tenant="

    var token: DeviceToken
    var tenant: String?

    init(_ token: DeviceToken, tenant: String?) {
        self.token = token
        self.tenant = tenant
    }

    /// Parses a token.
    ///
    /// - Throws: A failure when it is empty, longer than 1,600 characters, or no token of Apple's.
    init(_ text: String, _ field: String) throws {
        guard !text.isEmpty else { throw ToastFailure(.empty, field) }
        guard text.utf8.count <= 1_600 else {
            throw ToastFailure(.invalid, field, problem: "it has more than 1,600 characters")
        }
        // Most have no tenant: nothing but digits.
        if let token = DeviceToken(hexadecimal: text) {
            self.token = token
            return
        }
        let parts = text.split(separator: Self.mark, maxSplits: 1, omittingEmptySubsequences: false)
        guard let token = DeviceToken(hexadecimal: String(parts[0])) else {
            throw ToastFailure(
                .malformed,
                field,
                problem: "it is no token of Apple's: 16 through 200 hexadecimal digits"
            )
        }
        self.token = token
        guard parts.count == 2 else { return }
        guard (1...64).contains(parts[1].count), parts[1].utf8.count <= 256 else {
            throw ToastFailure(.invalid, field, problem: "the tenant must have 1 through 64 characters")
        }
        tenant = String(parts[1])
    }

    var text: String { token.hexadecimal + (tenant.map { Self.mark + $0 } ?? "") }
}
