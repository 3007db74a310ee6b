extension RequestValidator {
    /// Validates a notification for one device token, of an admitted sender.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - id: Its `apns-id`, when valid.
    ///   - connection: The state of the connection; records the topic.
    ///   - devices: The known device tokens.
    /// - Returns: What was read from the request.
    /// - Throws: The rejection.
    func validate(
        _ request: borrowing IncomingRequest,
        id: NotificationID?,
        connection: inout ConnectionState,
        devices: borrowing DeviceTable
    ) throws(Rejection) -> Acceptance {
        if case .device(.missing) = request.route { throw Rejection(.missingDeviceToken) }
        var acceptance = Acceptance(device: nil, pushType: nil, priority: 10, expiration: nil)
        // The checks of topic and payload depend on the push type, in any order of checks.
        acceptance.pushType = readPushType(request)
        for check in rules.order {
            switch check {
            case .duplicates:
                guard !request.hasDuplicates else { throw Rejection(.duplicateHeaders) }
            case .id:
                guard id != nil || !request.has(.apnsID) else { throw Rejection(.badMessageID) }
            case .expiration: acceptance.expiration = try readExpiration(request)
            case .priority: acceptance.priority = try readPriority(request, pushType: acceptance.pushType)
            case .collapseID:
                guard request.length(of: .apnsCollapseID) <= 64 else { throw Rejection(.badCollapseID) }
            case .pushType:
                guard acceptance.pushType != nil || !request.has(.apnsPushType) else {
                    throw Rejection(.invalidPushType)
                }
            case .topic: try checkTopic(request, pushType: acceptance.pushType, connection: &connection)
            case .deviceToken: acceptance.device = try findDevice(request, connection: connection, devices: devices)
            case .payload: try checkPayload(request, pushType: acceptance.pushType, connection: connection)
            }
        }
        return acceptance
    }

    // MARK: - Private

    private func readPushType(_ request: borrowing IncomingRequest) -> PushType? {
        // Nearly every push is an alert, which needs no search.
        if request.isSame(.apnsPushType, Self.alert) {
            return .alert
        }
        return request[.apnsPushType].flatMap { PushType($0) }
    }

    private static let alert = Array("alert".utf8)

    private func readExpiration(_ request: borrowing IncomingRequest) throws(Rejection) -> Int64? {
        guard let value = request[.apnsExpiration] else { return nil }
        guard let seconds = FieldSyntax.seconds(value) else { throw Rejection(.badExpirationDate) }
        return seconds
    }

    private func readPriority(
        _ request: borrowing IncomingRequest,
        pushType: PushType?
    ) throws(Rejection) -> UInt8 {
        var priority: UInt8 = 10
        if let value = request[.apnsPriority] {
            guard let known = FieldSyntax.priority(value) else { throw Rejection(.badPriority) }
            priority = known
        }
        if rules.requiresBackgroundPriority, pushType == .background, priority != 5 {
            throw Rejection(.badPriority)
        }
        return priority
    }

    private func findDevice(
        _ request: borrowing IncomingRequest,
        connection: borrowing ConnectionState,
        devices: borrowing DeviceTable
    ) throws(Rejection) -> DeviceTable.Index? {
        guard case .device(.wellFormed) = request.route else { throw Rejection(.badDeviceToken) }
        guard let device = devices.find(request.deviceToken) else {
            guard rules.deviceTokens == .open else { throw Rejection(.badDeviceToken) }
            return nil
        }
        let standing = devices.standing(of: device, in: rules.environment)
        if standing == .unbound, rules.deviceTokens == .open {
            return device
        }
        guard standing != .elsewhere, standing != .unbound else { throw Rejection(.badDeviceToken) }
        if let wanted = devices.topic(of: device), !isTopic(wanted, of: request, connection: connection) {
            throw Rejection(.deviceTokenNotForTopic)
        }
        if standing == .ended, let end = devices.registration(of: device).end {
            throw Rejection(end.isExpiry ? .expiredToken : .unregistered, timestamp: end.since)
        }
        return device
    }

    /// Whether a request has a topic, which its sender's certificate may imply.
    private func isTopic(
        _ wanted: [UInt8],
        of request: borrowing IncomingRequest,
        connection: borrowing ConnectionState
    ) -> Bool {
        guard request.length(of: .apnsTopic) == 0, let certificate = connection.certificate else {
            return request.isSame(.apnsTopic, wanted)
        }
        return certificate.baseTopic.utf8.elementsEqual(wanted)
    }

    private func checkPayload(
        _ request: borrowing IncomingRequest,
        pushType: PushType?,
        connection: borrowing ConnectionState
    ) throws(Rejection) {
        guard request.bodyLength > 0 else { throw Rejection(.payloadEmpty) }
        if request.bodyLength > PushType.smallestPayloadLimit {
            // A client without a push type implies it by the topic.
            let topic = request[.apnsTopic] ?? []
            let type = pushType ?? (topic.ends(with: PushType.voip.topicSuffix) ? .voip : .alert)
            guard request.bodyLength <= type.payloadLimit else { throw Rejection(.payloadTooLarge) }
        }
        try checkForm(request)
    }

    /// Checks that the payload is a JSON object, if required.
    func checkForm(_ request: borrowing IncomingRequest) throws(Rejection) {
        guard let reason = rules.malformedPayloadReason else { return }
        guard PayloadSummary(of: request.body).isObject else { throw Rejection(reason) }
    }
}

extension ArraySlice<UInt8> {
    /// Whether the bytes end with an ASCII text.
    func ends(with text: String) -> Bool {
        count >= text.utf8.count && suffix(text.utf8.count).elementsEqual(text.utf8)
    }
}
