import Carillon
import CarillonModel
import Foundation

/// A request of one Device.
struct TestKitCall {
    let method: String
    let path: String
    let device: DeviceID
    let secret: String
    let query: String?
    let body: TestKitBody
    let now: Timestamp

    /// Answers it; the body is read before the Device is looked for, as by the server.
    func answer(_ state: inout TestKitServer.State) throws -> TransportAnswer {
        switch (method, path) {
        case ("PUT", ""): return try register(&state)
        case ("PATCH", ""): return try update(&state)
        case ("GET", ""): return record(of: try known(state), state)
        case ("DELETE", ""):
            _ = try known(state)
            state.devices[device] = nil
            return TransportAnswer(status: 204)
        case ("POST", "forget"): return try forget(&state)
        case (_, "voip"): return try voIP(&state)
        case (_, "tags"): return try tags(&state)
        case (_, _) where path.hasPrefix("content-sets/"): return try follows(&state)
        case (_, "attributes"): return try attributes(&state)
        case ("POST", "messages"): return try sendMessage(&state)
        case ("POST", "test-pairing"):
            // Operators make codes, of which there are none here.
            _ = try known(state)
            throw Problem.unknownTestPairing
        case ("GET", "inbox"): return .json(inbox(of: try known(state), state))
        default: return try read(&state)
        }
    }

    /// The Device that calls.
    func known(_ state: TestKitServer.State) throws(Problem) -> TestKitDevice {
        guard let known = state.devices[device] else { throw .unknownDevice }
        guard known.secret == secret else { throw .wrongDeviceSecret }
        return known
    }

    // MARK: - Registration

    private func register(_ state: inout TestKitServer.State) throws -> TransportAnswer {
        var registration = try body.decoded(Registration.self)
        var warnings = TestKitWarnings()
        warnings.removeInvalid(from: &registration)
        guard state.devices[device] != nil else {
            let new = TestKitDevice(secret: secret, registration: registration, number: state.nextNumber(), at: now)
            state.devices[device] = new
            return record(of: new, state, status: 201, warnings)
        }
        var changed = try known(state)
        changed.apply(registration, number: { state.nextNumber() }, at: now)
        changed.registeredAt = now
        state.devices[device] = changed
        return record(of: changed, state, warnings)
    }

    private func update(_ state: inout TestKitServer.State) throws -> TransportAnswer {
        let update = try body.decoded(RegistrationUpdate.self)
        var changed = try known(state)
        var registration = update.applied(to: changed.registration)
        var warnings = TestKitWarnings()
        warnings.removeInvalid(from: &registration)
        changed.apply(registration, number: { state.nextNumber() }, at: now)
        changed.registeredAt = now
        state.devices[device] = changed
        return record(of: changed, state, warnings)
    }

    private func record(
        of known: TestKitDevice,
        _ state: TestKitServer.State,
        status: Int = 200,
        _ warnings: TestKitWarnings = TestKitWarnings()
    ) -> TransportAnswer {
        var record = DeviceRecord(
            device: device,
            app: AppID(milliseconds: 1_800_000_000_000, sequence: 1),
            registration: known.registration,
            consentTimes: known.consentTimes,
            tokenState: known.registration.token == nil ? .none : .active,
            createdAt: known.createdAt,
            registeredAt: known.registeredAt
        )
        if !state.adRuleApplies { record.adRuleApplies = false }
        if !warnings.problems.isEmpty { record.warnings = warnings.problems }
        return .json(record, status: status)
    }

    /// Erases the Device; its User's data too if asked for, or with their last Device.
    private func forget(_ state: inout TestKitServer.State) throws -> TransportAnswer {
        let wanted = try body.decodedIfPresent(ForgetRequest.self) ?? ForgetRequest()
        let known = try known(state)
        state.devices[device] = nil
        for number in known.inbox { state.reads[number] = nil }
        guard let user = known.registration.user else { return TransportAnswer(status: 204) }
        if wanted.user || !state.devices.values.contains(where: { $0.registration.user == user }) {
            state.tags[user] = nil
            state.attributes[user] = nil
            state.content.forget(user)
        }
        return TransportAnswer(status: 204)
    }

    // MARK: - The VoIP token

    private func voIP(_ state: inout TestKitServer.State) throws -> TransportAnswer {
        let registration = method == "PUT" ? try body.decoded(VoIPRegistration.self) : nil
        var changed = try known(state)
        if let registration { changed.voIP = .init(registration: registration, registeredAt: now) }
        if method == "DELETE" { changed.voIP = nil }
        state.devices[device] = changed
        guard method != "DELETE" else { return TransportAnswer(status: 204) }
        guard let voIP = changed.voIP else { throw Problem.unknownVoIPToken }
        return .json(
            VoIPRecord(pushType: voIP.registration.pushType, tokenState: .active, registeredAt: voIP.registeredAt)
        )
    }
}
