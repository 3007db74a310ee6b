extension RequestValidator {
    /// Reads the topic and checks that it exists, fits the push type and is allowed for the credential.
    func checkTopic(
        _ request: borrowing IncomingRequest,
        pushType: PushType?,
        connection: inout ConnectionState
    ) throws(Rejection) {
        // Nearly every sender uses one topic, which is recognised by its bytes.
        if pushType == connection.topicPushType, !connection.topic.isEmpty,
            request.isSame(.apnsTopic, connection.topic)
        {
            return
        }
        guard let topic = request[.apnsTopic], !topic.isEmpty else {
            return try checkMissingTopic(pushType: pushType, connection: connection)
        }
        guard FieldSyntax.isTopic(topic) else { throw Rejection(.badTopic) }
        let suffix = Self.suffix(of: topic)
        if rules.matchesTopicToPushType, let pushType, pushType != .mdm, pushType.topicSuffix != suffix {
            throw Rejection(rules.mismatchedTopicReason)
        }
        if let certificate = connection.certificate {
            guard certificate.topics.contains(String(decoding: topic, as: UTF8.self)) else {
                throw Rejection(.badTopic)
            }
        }
        try checkCredential(topic.dropLast(suffix.utf8.count), pushType: pushType, connection: connection)
        connection.topic = Array(topic)
        connection.topicPushType = pushType
    }

    /// Checks that a bundle identifier exists and is allowed for the credential.
    func checkCredential(
        _ bundleID: ArraySlice<UInt8>,
        pushType: PushType?,
        connection: borrowing ConnectionState
    ) throws(Rejection) {
        // Apple requires a provider token for location pushes, but does not document the reason otherwise.
        if connection.certificate != nil, pushType == .location { throw Rejection(.topicDisallowed) }
        let allowed = connection.certificate == nil ? connection.providerToken?.key.topics : nil
        guard !rules.topics.isEmpty || allowed != nil else { return }
        let bundleID = String(decoding: bundleID, as: UTF8.self)
        guard rules.topics.isEmpty || rules.topics.contains(bundleID), allowed?.contains(bundleID) ?? true else {
            throw Rejection(.topicDisallowed)
        }
    }

    /// Apple's suffix at the end of a topic; empty for none.
    ///
    /// `.voip-ptt` is not mistaken for `.voip`, as both must be at the end.
    static func suffix(of topic: ArraySlice<UInt8>) -> String {
        for suffix in suffixes where topic.count > suffix.utf8.count && topic.ends(with: suffix) {
            return suffix
        }
        return ""
    }

    // MARK: - Private

    /// A certificate with one topic implies it; any other sender must name the topic.
    private func checkMissingTopic(
        pushType: PushType?,
        connection: borrowing ConnectionState
    ) throws(Rejection) {
        guard let certificate = connection.certificate, certificate.topics.count == 1 else {
            throw Rejection(.missingTopic)
        }
        let topic = Array(certificate.baseTopic.utf8)[...]
        let suffix = Self.suffix(of: topic)
        if rules.matchesTopicToPushType, let pushType, pushType != .mdm, pushType.topicSuffix != suffix {
            throw Rejection(rules.mismatchedTopicReason)
        }
        try checkCredential(topic.dropLast(suffix.utf8.count), pushType: pushType, connection: connection)
    }

    private static let suffixes = PushType.allCases.map(\.topicSuffix).filter { !$0.isEmpty }
}
