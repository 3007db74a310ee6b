/// Apple's side of the argument: decides about one request from what is known, and does nothing else.
///
/// Checks come in this order, of which Apple documents none and probes have shown the first three: method,
/// provider token, path, syntax of the fields, topic, device token, payload.
struct Judge: Sendable {
    let rules: JudgeRules

    /// Judges a request.
    ///
    /// - Parameters:
    ///   - request: The request with as much of its body as has come; it must be whole, or over its limit.
    ///   - connection: What is remembered of the connection. Changed by what the provider token tells.
    ///   - keys: The keys known, with the provider tokens already verified.
    ///   - devices: The device tokens known.
    ///   - now: The time of arrival.
    /// - Returns: Whether the request is let in, with what was read from it, or why it is not.
    func judge(
        _ request: borrowing IncomingRequest,
        connection: inout ConnectionState,
        keys: inout SigningKeys,
        devices: borrowing DeviceTable,
        now: WallTime
    ) -> Verdict {
        do throws(Rejection) {
            guard let method = request[.method], method.elementsEqual("POST".utf8) else {
                throw Rejection(.methodNotAllowed)
            }
            let token = try authenticate(request, connection: &connection, keys: &keys, now: now)
            try checkPath(request)
            var acceptance = try readFields(request)
            let topic = try readTopic(request, pushType: acceptance.pushType, token: token)
            acceptance.device = try findDevice(request, topic: topic, devices: devices)
            try checkPayload(request, pushType: acceptance.pushType, topic: topic)
            return .accepted(acceptance)
        } catch {
            return .rejected(error)
        }
    }

    private func checkPath(_ request: borrowing IncomingRequest) throws(Rejection) {
        switch request.route {
        case .unknown: throw Rejection(.badPath)
        case .device(.missing): throw Rejection(.missingDeviceToken)
        case .device(.malformed), .device(.wellFormed): break
        }
    }

    private func readFields(_ request: borrowing IncomingRequest) throws(Rejection) -> Acceptance {
        guard !request.hasDuplicates else { throw Rejection(.duplicateHeaders) }
        if let id = request[.apnsID], !FieldSyntax.isUUID(id) {
            throw Rejection(.badMessageID)
        }
        var acceptance = Acceptance(device: nil, pushType: nil, priority: 10, expiration: nil)
        if let value = request[.apnsExpiration] {
            guard let seconds = FieldSyntax.seconds(value) else { throw Rejection(.badExpirationDate) }
            acceptance.expiration = seconds
        }
        if let value = request[.apnsPriority] {
            guard let priority = FieldSyntax.priority(value) else { throw Rejection(.badPriority) }
            acceptance.priority = priority
        }
        if let value = request[.apnsCollapseID], value.count > 64 {
            throw Rejection(.badCollapseID)
        }
        if let value = request[.apnsPushType] {
            guard let pushType = PushType(value) else { throw Rejection(.invalidPushType) }
            acceptance.pushType = pushType
        }
        if rules.requiresBackgroundPriority, acceptance.pushType == .background, acceptance.priority != 5 {
            throw Rejection(.badPriority)
        }
        return acceptance
    }

    private func findDevice(
        _ request: borrowing IncomingRequest,
        topic: ArraySlice<UInt8>,
        devices: borrowing DeviceTable
    ) throws(Rejection) -> DeviceTable.Index? {
        guard case .device(.wellFormed) = request.route else { throw Rejection(.badDeviceToken) }
        guard let device = devices.find(request.deviceToken) else {
            guard rules.deviceTokens == .open else { throw Rejection(.badDeviceToken) }
            return nil
        }
        let registration = devices.registration(of: device)
        guard registration.isIssued || rules.deviceTokens == .open else { throw Rejection(.badDeviceToken) }
        guard registration.environment.map({ $0 == rules.environment }) ?? true else {
            throw Rejection(.badDeviceToken)
        }
        if let wanted = registration.topic, !topic.elementsEqual(wanted.utf8) {
            throw Rejection(.deviceTokenNotForTopic)
        }
        if let end = registration.end {
            throw Rejection(end.isExpiry ? .expiredToken : .unregistered, timestamp: end.since)
        }
        return device
    }

    private func checkPayload(
        _ request: borrowing IncomingRequest,
        pushType: PushType?,
        topic: ArraySlice<UInt8>
    ) throws(Rejection) {
        guard request.bodyLength > 0 else { throw Rejection(.payloadEmpty) }
        guard request.bodyLength > PushType.smallestPayloadLimit else { return }
        guard request.bodyLength <= Self.payloadLimit(pushType: pushType, topic: topic) else {
            throw Rejection(.payloadTooLarge)
        }
    }

    /// A client that does not name the type says it by the topic.
    private static func payloadLimit(pushType: PushType?, topic: ArraySlice<UInt8>) -> Int {
        (pushType ?? (topic.ends(with: PushType.voip.topicSuffix) ? .voip : .alert)).payloadLimit
    }
}

extension ArraySlice<UInt8> {
    /// Whether the bytes end with an ASCII text.
    func ends(with text: String) -> Bool {
        count >= text.utf8.count && suffix(text.utf8.count).elementsEqual(text.utf8)
    }
}
