/// The content of a push certificate to be issued.
package struct ClientCertificateOrder: Hashable, Sendable {
    /// The subject's `UID`: the base topic, which is the bundle identifier.
    package var topic: String
    /// Further topics of the certificate, such as `com.example.app.voip`; empty for one topic.
    ///
    /// With several, requests must name theirs.
    package var furtherTopics: [String]
    /// The environments it is valid for.
    package var environments: Set<PushEnvironment>
    /// How long it is valid.
    package var validity: Duration

    package init(
        topic: String,
        furtherTopics: [String] = [],
        environments: Set<PushEnvironment> = Set(PushEnvironment.allCases),
        validity: Duration = .seconds(30 * 86_400)
    ) {
        self.topic = topic
        self.furtherTopics = furtherTopics
        self.environments = environments
        self.validity = validity
    }
}

/// A client's certificate with its key, in common formats.
package struct ClientCertificate: Hashable, Sendable {
    /// The certificate, PEM.
    package var certificatePEM: String
    /// The private key, PEM of PKCS#8.
    package var privateKeyPEM: String
    /// Both, as PKCS#12 under the given passphrase.
    package var pkcs12: [UInt8]
}
