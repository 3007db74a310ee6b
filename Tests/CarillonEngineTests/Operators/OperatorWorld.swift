import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Foundation
import Testing

/// Operators on a separate database, with a clock that the test moves; ``other`` is another node.
struct OperatorWorld {
    static let password = "a passphrase nobody tries"

    let registry: Registry
    let operators: Operators
    let other: Operators
    let caller = OperatorCaller(address: "192.0.2.1", network: "192.0.2.1", client: "Test")

    var clock: ManualClock { registry.clock }

    init(_ change: (inout Operators.Options) -> Void = { _ in }) async throws {
        registry = try await Registry()
        var options = Operators.Options()
        options.passwords.parameters = PasswordHash.Parameters(logRounds: 10, blockSize: 1, parallelism: 1)
        change(&options)
        operators = try Self.node(registry, options)
        other = try Self.node(registry, options)
    }

    private static func node(_ registry: Registry, _ options: Operators.Options) throws -> Operators {
        Operators(
            store: registry.stores.operators,
            apps: registry.apps,
            vault: try #require(Vault(masterKey: Array(repeating: 7, count: 32))),
            ids: IDSource(clock: registry.clock),
            clock: registry.clock,
            options: options
        )
    }

    /// A caller at another address.
    func caller(_ address: String) -> OperatorCaller { OperatorCaller(address: address, network: address) }

    // MARK: People

    /// An Operator who accepted an invitation, with a session.
    func join(
        _ address: String,
        _ roles: OperatorRoles = OperatorRoles(everywhere: .viewer)
    ) async throws -> OpenedSession {
        let invited = try await operators.invite(OperatorInvitation(address: address, roles: roles), by: .server)
        return try await operators.acceptInvitation(
            invited.value.link.secret,
            displayName: nil,
            password: Self.password,
            by: caller
        )
    }

    /// An Operator who is signed in whole with a second factor.
    func joinWithFactor(
        _ address: String,
        _ roles: OperatorRoles = OperatorRoles(everywhere: .admin)
    ) async throws -> (opened: OpenedSession, factor: OneTimeCode, codes: [String]) {
        try await enrol(try await join(address, roles))
    }

    /// Sets a second factor up.
    func enrol(
        _ opened: OpenedSession
    ) async throws -> (opened: OpenedSession, factor: OneTimeCode, codes: [String]) {
        let enrolment = try operators.beginSecondFactor(opened.session)
        let factor = OneTimeCode(secret: try Self.bytes(base32: enrolment.secret))
        let made = try await operators.confirmSecondFactor(
            opened.value,
            sealed: enrolment.sealed,
            code: code(factor),
            by: caller
        )
        return (made.opened, factor, made.codes)
    }

    /// The code of now.
    func code(_ factor: OneTimeCode) -> String { factor.code(OneTimeCode.step(at: clock.now().rawValue)) }

    func signIn(
        _ address: String,
        _ password: String = OperatorWorld.password,
        from network: String? = nil
    ) async throws -> OpenedSession {
        try await operators.signIn(address: address, password: password, by: network.map(caller(_:)) ?? caller)
    }

    func advance(_ duration: Duration) { clock.advance(milliseconds: duration.components.seconds * 1_000) }

    /// The bytes of a text in base 32, as an authenticator reads it.
    static func bytes(base32 text: String) throws -> [UInt8] {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var (bytes, buffer, bits): ([UInt8], UInt32, UInt32) = ([], 0, 0)
        for letter in text {
            buffer = buffer << 5 | UInt32(try #require(letters.firstIndex(of: letter)))
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(buffer >> bits & 0xFF))
                buffer &= (1 << bits) - 1
            }
        }
        return bytes
    }
}

extension OperatorLink {
    /// The last part of the path.
    var secret: String { String(path.split(separator: "/").last ?? "") }
}
