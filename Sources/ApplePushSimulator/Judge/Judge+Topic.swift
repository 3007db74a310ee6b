extension Judge {
    /// Reads the topic and checks that it exists, fits the push type and is allowed for the key.
    func readTopic(
        _ request: borrowing IncomingRequest,
        pushType: PushType?,
        token: ProviderToken
    ) throws(Rejection) -> ArraySlice<UInt8> {
        guard let topic = request[.apnsTopic], !topic.isEmpty else { throw Rejection(.missingTopic) }
        guard FieldSyntax.isTopic(topic) else { throw Rejection(.badTopic) }
        let suffix = Self.suffix(of: topic)
        if rules.matchesTopicToPushType, let pushType, pushType != .mdm, pushType.topicSuffix != suffix {
            throw Rejection(.badTopic)
        }
        if !rules.topics.isEmpty || token.key.topics != nil {
            let bundleID = String(decoding: topic.dropLast(suffix.utf8.count), as: UTF8.self)
            guard rules.topics.isEmpty || rules.topics.contains(bundleID), token.key.allows(bundleID) else {
                throw Rejection(.topicDisallowed)
            }
        }
        return topic
    }

    /// Which of Apple's suffixes a topic ends with; empty when with none.
    ///
    /// `.voip-ptt` is not mistaken for `.voip`, as both must stand at the end.
    private static func suffix(of topic: ArraySlice<UInt8>) -> String {
        for suffix in suffixes where topic.count > suffix.utf8.count && topic.ends(with: suffix) {
            return suffix
        }
        return ""
    }

    private static let suffixes = PushType.allCases.map(\.topicSuffix).filter { !$0.isEmpty }
}
