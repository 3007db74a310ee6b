/// Applies Apple's rules to one request, without side effects.
///
/// Apple documents no order of the checks. Probes have shown that at the host for notifications the method comes before
/// the provider token, at the host for channels after it, and the path in either case after both.
///
/// A class so that a request costs one reference and no copy of the rules; it never changes.
final class RequestValidator: Sendable {
    let rules: ValidationRules

    init(rules: ValidationRules) {
        self.rules = rules
    }

    /// Determines the target of a request, and checks that its sender may send.
    ///
    /// - Parameters:
    ///   - request: The request with the received part of its body; complete, or over its limit.
    ///   - connection: The state of the connection. Changed by the provider token.
    ///   - keys: The known keys, with the verified provider tokens.
    ///   - now: The time of arrival.
    /// - Returns: The target of the request.
    /// - Throws: The rejection.
    func admit(
        _ request: borrowing IncomingRequest,
        connection: inout ConnectionState,
        keys: inout SigningKeys,
        now: SimulatedTime
    ) throws(Rejection) -> PathFamily {
        let family = request.route.family.flatMap { rules.families.contains($0) ? $0 : nil }
        let isPost = request.isSame(.method, Self.post)
        if !isPost, !authenticatesFirst(family) {
            throw Rejection(.methodNotAllowed)
        }
        try authenticate(request, connection: &connection, keys: &keys, now: now)
        guard let family else { throw Rejection(.badPath) }
        switch family {
        case .devices, .broadcasts: break
        case .channels:
            guard isPost || request.isSame(.method, Self.get) || request.isSame(.method, Self.delete) else {
                throw Rejection(.methodNotAllowed)
            }
        case .channelLists:
            guard request.isSame(.method, Self.get) else { throw Rejection(.methodNotAllowed) }
        }
        return family
    }

    static let post = Array("POST".utf8)
    static let get = Array("GET".utf8)
    static let delete = Array("DELETE".utf8)

    /// Whether authentication precedes the check of the method, as at the host for channels.
    private func authenticatesFirst(_ family: PathFamily?) -> Bool {
        switch family {
        case .channels, .channelLists: true
        case .devices, .broadcasts: false
        case nil: rules.families.isDisjoint(with: [.devices, .broadcasts])
        }
    }
}
