import ApplePush
import ApplePushConnection
import CarillonBytes
package import CarillonEngine
import CarillonModel
package import CarillonOperatorModel
import Foundation
import NIOCore
import NIOHPACK
import NIOPosix
import NIOSSL

/// Asks APNs about a key: one request with a device token that cannot exist, on a connection of its own.
extension APNsSender {
    package func checkKey(_ account: PushAccount, isInUse: Bool) async -> [PushKeyCheck.Environment] {
        let roots = configuration.pool.trustRoots
        var places = [("production", configuration.production, roots), ("sandbox", configuration.sandbox, roots)]
        if account.usesSimulator {
            guard let simulator = try? await configuration.simulator?() else {
                return [PushKeyCheck.Environment(name: "all", state: .unreachable)]
            }
            places = [("all", simulator.endpoint, simulator.trustRoots)]
        } else if configuration.production == configuration.sandbox {
            places = [("all", configuration.production, roots)]
        }
        var found: [PushKeyCheck.Environment] = []
        for (name, endpoint, roots) in places {
            found.append(await check(account, isInUse: isInUse, at: Place(name, endpoint, roots)))
        }
        return found
    }

    // MARK: - Private

    /// One of Apple's environments, or the simulator.
    private struct Place {
        let name: String
        let endpoint: Endpoint
        let trustRoots: TrustRoots

        init(_ name: String, _ endpoint: Endpoint, _ trustRoots: TrustRoots) {
            (self.name, self.endpoint, self.trustRoots) = (name, endpoint, trustRoots)
        }
    }

    private func check(
        _ account: PushAccount,
        isInUse: Bool,
        at place: Place
    ) async -> PushKeyCheck.Environment {
        let name = place.name
        guard let key = try? SigningKey(pem: account.privateKey, keyID: account.keyID, teamID: account.teamID),
            let bundleID = BundleID(rawValue: account.topic)
        else { return PushKeyCheck.Environment(name: name, state: .unusable) }
        let token: ProviderToken
        do throws(ProviderTokenCoordinator.Problem) {
            token = try await providerToken(of: account, key, isInUse: isInUse)
        } catch {
            switch error {
            case .badKey: return PushKeyCheck.Environment(name: name, state: .unusable)
            case .stuck: return PushKeyCheck.Environment(name: name, state: .clockOff, reason: "ExpiredProviderToken")
            case .store: return PushKeyCheck.Environment(name: name, state: .busy)
            }
        }
        var found = await ask(place, token, bundleID)
        if let offset = found.clockOffsetSeconds, abs(offset) > 300, found.state == .wrongTeamOrKeyID {
            found.state = .clockOff
        }
        guard found.state == .wrongTeamOrKeyID, found.clockOffsetSeconds == nil else { return found }
        // A token from the future is refused like one of a wrong key: one of earlier tells them apart.
        let earlier = clock.now().date.addingTimeInterval(-3_000)
        guard let older = try? ProviderToken(signedWith: key, at: earlier) else { return found }
        let second = await ask(place, older, bundleID)
        if second.state == .healthy { found.state = .clockOff }
        return found
    }

    /// The token that the App's notifications have; a key that is not in use has its own.
    private func providerToken(
        of account: PushAccount,
        _ key: SigningKey,
        isInUse: Bool
    ) async throws(ProviderTokenCoordinator.Problem) -> ProviderToken {
        if isInUse {
            guard let coordinator = coordinator(for: account) else { throw .badKey }
            return try await coordinator.token()
        }
        return try await ProviderTokenCoordinator(key: key, store: tokens, clock: clock).token()
    }

    private func ask(
        _ place: Place,
        _ token: ProviderToken,
        _ bundleID: BundleID
    ) async -> PushKeyCheck.Environment {
        let endpoint = place.endpoint
        var found = PushKeyCheck.Environment(name: place.name, state: .unreachable)
        let pool = configuration.pool
        if pool.proxy == nil { found.address = await address(of: endpoint) }
        guard let request = Self.request(token, bundleID),
            let tls = try? NIOSSLContext(configuration: .apns(trusting: place.trustRoots))
        else {
            found.state = .unusable
            return found
        }
        let route = APIRoute(
            to: endpoint,
            through: pool.proxy,
            timeout: TimeAmount(pool.connectTimeout),
            lookUp: pool.lookUp
        )
        let connection = APIConnection(route, tls: tls, on: eventLoopGroup.next())
        defer { connection.drain() }
        do throws(APIConnection.Problem) {
            found.tlsVersion = try await connection.ready().tlsVersion?.number
        } catch {
            found.reason = error.text
            return found
        }
        let start = ContinuousClock.now
        let outcome = await connection.perform(request, deadline: .now() + TimeAmount(pool.connectTimeout))
        guard case .answered(let answer) = outcome else {
            found.reason = connection.closure?.reason?.rawValue ?? "NoAnswer"
            return found
        }
        found.latencyMilliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
        if let time = answer.fields.first(name: "date").flatMap(HTTPDate.seconds) {
            found.clockOffsetSeconds = Int(clock.now().rawValue / 1_000 - time)
        }
        switch Answer(status: answer.status, body: answer.body) {
        case .accepted: found.state = .healthy
        case .rejected(let rejection):
            found.state = PushKeyCheck.State(rejection)
            found.reason = rejection.reason.rawValue.isEmpty ? "\(answer.status)" : rejection.reason.rawValue
        }
        return found
    }

    /// A notification that shows nothing, for a device token that cannot exist.
    private static func request(_ token: ProviderToken, _ bundleID: BundleID) -> APIRequest? {
        let message = RawMessage(
            .background,
            payload: ["aps": [:]],
            priority: .considerate,
            expiration: .nowOrNever
        )
        guard let encoded = try? message.request(for: bundleID) else { return nil }
        var fields = HPACKHeaders(encoded.headers.fields.map { ($0.name, $0.value) })
        fields.add(name: "authorization", value: "bearer " + token.rawValue, indexing: .neverIndexed)
        let device = Hexadecimal.encode((0..<32).map { _ in UInt8.random(in: 0...255) })
        return APIRequest(
            method: "POST",
            path: ProviderAPI.devicePath + device,
            fields: fields,
            body: encoded.payload.bytes
        )
    }

    /// The first address of a host's name; `nil` when there is none.
    private func address(of endpoint: Endpoint) async -> String? {
        let lookUp = configuration.pool.lookUp
        let found = try? await NIOThreadPool.singleton.runIfActive { try lookUp(endpoint.host, endpoint.port) }
        return found?.first?.ipAddress
    }
}

extension PushKeyCheck.State {
    /// What a refusal of a device token that cannot exist says about the key.
    init(_ rejection: Rejection) {
        switch rejection.reason {
        // APNs looks at the device token last.
        case .badDeviceToken, .unregistered, .expiredToken, .deviceTokenNotForTopic: self = .healthy
        case .invalidProviderToken: self = .wrongTeamOrKeyID
        case .expiredProviderToken: self = .clockOff
        case .badEnvironmentKeyInToken: self = .wrongEnvironment
        case .topicDisallowed, .badTopic, .missingTopic: self = .wrongTopic
        case .tooManyProviderTokenUpdates, .tooManyRequests, .internalServerError, .serviceUnavailable, .shutdown,
            .idleTimeout:
            self = .busy
        default: self = .refused
        }
    }
}

extension APIConnection.Problem {
    /// A word for each, as a reason.
    fileprivate var text: String {
        switch self {
        case .unreachable: "NoConnection"
        case .proxy: "ProxyRefused"
        case .tls: "TLSFailed"
        case .notHTTP2: "NotHTTP2"
        case .noSettings(let closure): closure.reason?.rawValue ?? "ConnectionClosed"
        case .timedOut: "TimedOut"
        }
    }
}

extension TLSVersion {
    fileprivate var number: String {
        switch self {
        case .tlsv1: "1.0"
        case .tlsv11: "1.1"
        case .tlsv12: "1.2"
        case .tlsv13: "1.3"
        }
    }
}
