import SwiftASN1
import X509

/// What a client's certificate allows, by Apple's extensions.
struct PushCertificate: Hashable, Sendable {
    /// The subject's `UID`.
    var baseTopic: String
    /// All topics, the base topic included.
    var topics: Set<String>
    var environments: Set<PushEnvironment>

    init(baseTopic: String, topics: Set<String>, environments: Set<PushEnvironment>) {
        self.baseTopic = baseTopic
        self.topics = topics
        self.environments = environments
    }

    /// Parses a certificate; nil when it is not a push certificate of Apple's.
    init?(derEncoded bytes: [UInt8]) {
        guard let certificate = try? Certificate(derEncoded: bytes) else { return nil }
        self.init(certificate)
    }

    init?(_ certificate: Certificate) {
        guard let topic = Self.userID(certificate.subject) else { return nil }
        baseTopic = topic
        topics = [topic]
        environments = []
        for known in certificate.extensions {
            switch known.oid {
            case .sandboxPush: environments.insert(.sandbox)
            case .productionPush: environments.insert(.production)
            case .pushTopics, .olderPushTopics: topics.formUnion(Self.topics(known.value))
            default: break
            }
        }
        guard !environments.isEmpty else { return nil }
    }

    private static func userID(_ subject: DistinguishedName) -> String? {
        for relative in subject {
            for attribute in relative where attribute.type == .userID {
                return String(attribute.value)
            }
        }
        return nil
    }

    /// The names in `SEQUENCE { UTF8String topic, SEQUENCE { UTF8String kind }, … }`.
    private static func topics(_ value: ArraySlice<UInt8>) -> [String] {
        guard let root = try? DER.parse(value), case .constructed(let nodes) = root.content else { return [] }
        return nodes.prefix(400).compactMap { node in
            (try? ASN1UTF8String(derEncoded: node)).map { String($0) }
        }
    }
}

extension ASN1ObjectIdentifier {
    /// An attribute of the subject (RFC 4519, section 2.39).
    static let userID: ASN1ObjectIdentifier = [0, 9, 2342, 19_200_300, 100, 1, 1]
    /// Apple's extension: valid for the development environment.
    static let sandboxPush: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 3, 1]
    /// Apple's extension: valid for the production environment.
    static let productionPush: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 3, 2]
    static let olderPushTopics: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 3, 4]
    /// Apple's extension: the topics.
    static let pushTopics: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 3, 6]
}
