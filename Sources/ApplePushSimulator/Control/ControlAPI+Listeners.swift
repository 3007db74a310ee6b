import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension ControlAPI {
    func addListeners(to router: Router<Context>) {
        router.get("/listeners") { _, _ in
            let ports = try await addresses().ports
            return handle.listeners().map { ListenerAnswer($0, port: ports[$0.name] ?? 0) }
        }
        router.patch("/listeners/:listener") { request, context in
            let name = try context.parameters.require("listener")
            guard let set = handle.listeners().first(where: { $0.name == name }) else {
                throw HTTPError(.notFound, message: handle.unknownListener)
            }
            let changed = try await request.readStrictly(context: context) { fields throws(FieldProblem) in
                var changed = set
                try changed.read(&fields, first: handle.firstListener(name) ?? set)
                guard changed.port == set.port else {
                    throw fields.problem("port", "cannot be changed while the simulator runs")
                }
                return changed
            }
            try translated { () throws(SimulatorHandle.Failure) in
                try handle.setRules(changed.rules, of: name)
                try handle.setConnectionRules(changed.connections, of: name)
            }
            return HTTPResponse.Status.noContent
        }
    }

    func addConnections(to router: Router<Context>) {
        router.get("/connections") { _, _ in
            let (newest, open) = await handle.pushListeners.newestConnections(Self.maximumReportedConnections)
            return ConnectionsAnswer(open: open, newest: newest)
        }
        router.post("/connections/actions") { request, context in
            let (choice, actions) = try await request.readStrictly(context: context) { fields throws(FieldProblem) in
                let (listener, id) = (try fields.text("listener"), try fields.integer("connection", 1...Int.max))
                guard listener == nil || id == nil else { throw fields.problem("connection", "excludes listener") }
                let one = id.map { ConnectionChoice.connection($0) }
                let actions = try ConnectionAction.read(&fields)
                try fields.refuseUnknown()
                guard !actions.isEmpty else { throw fields.problem("wanted something to do") }
                return (one ?? listener.map { .listener($0) } ?? .all, actions)
            }
            try translated { () throws(SimulatorHandle.Failure) in
                for action in actions {
                    try handle.perform(action, on: choice)
                }
            }
            return HTTPResponse.Status.noContent
        }
        router.delete("/connections") { _, _ in
            handle.cutConnections()
            return HTTPResponse.Status.noContent
        }
    }

    func addCertificates(to router: Router<Context>) {
        router.post("/certificates") { request, context in
            let (order, passphrase) = try await request.readStrictly(context: context) { fields throws(FieldProblem) in
                let order = try ClientCertificateOrder(reading: &fields)
                return (order, try fields.text("passphrase", bytes: 0...200) ?? "")
            }
            let certificate = try translated { () throws(SimulatorHandle.Failure) in
                try handle.issueClientCertificate(order, passphrase: passphrase)
            }
            return EditedResponse(status: .created, response: CertificateAnswer(certificate))
        }
    }

    /// Maximum number of connections in a response.
    private static let maximumReportedConnections = 100
}

extension ClientCertificateOrder {
    init(reading fields: inout StrictFields) throws(FieldProblem) {
        self.init(topic: try fields.required("topic", try fields.text("topic", bytes: 1...200)))
        furtherTopics = try fields.texts("furtherTopics", limit: 399, bytes: 1...255) ?? []
        if let choices: [PushEnvironment] = try fields.choices("environments") {
            guard !choices.isEmpty else { throw fields.problem("environments", "wanted at least one") }
            environments = Set(choices)
        }
        if let days = try fields.integer("days", 1...3650) {
            validity = .seconds(86_400 * days)
        }
    }
}

struct CertificateAnswer: ResponseEncodable, Encodable {
    var certificatePEM: String
    var privateKeyPEM: String
    /// Base64.
    var pkcs12: String

    init(_ certificate: ClientCertificate) {
        certificatePEM = certificate.certificatePEM
        privateKeyPEM = certificate.privateKeyPEM
        pkcs12 = Data(certificate.pkcs12).base64EncodedString()
    }
}

struct ConnectionsAnswer: ResponseEncodable, Encodable {
    var open: Int
    var newest: [ConnectionReport]
}

/// A listener's state, in the format of a scenario.
struct ListenerAnswer: ResponseEncodable, Encodable {
    var name: String
    var port: Int
    var rules: Rules
    var connections: Connections

    init(_ listener: ListenerConfiguration, port: Int) {
        name = listener.name
        self.port = port
        rules = Rules(listener.rules)
        connections = Connections(listener.connections)
    }

    struct Rate: Encodable {
        var count: Int
        var milliseconds: Int
    }

    struct Rules: Encodable {
        var environment: PushEnvironment
        var families: [PathFamily]
        var deviceTokens: DeviceTokenMode
        var providerTokens: ProviderTokenMode
        var topics: [String]
        var order: [RequestCheck]
        var matchesTopicToPushType: Bool
        var mismatchedTopicReason: String
        var otherEnvironmentReason: String
        var malformedPayloadReason: String?
        var namesContentType: Bool
        var generatesLowerCaseIDs: Bool
        var requiresBackgroundPriority: Bool
        var clockToleranceMilliseconds: Int
        var providerTokenLifetimeMilliseconds: Int
        var providerTokenChanges: Int
        var providerTokenChangeWindowMilliseconds: Int
        var providerTokenChangeScope: ProviderTokenChangeScope
        var deviceTokenRate: Rate?

        init(_ rules: ValidationRules) {
            environment = rules.environment
            families = rules.families.sorted { $0.rawValue < $1.rawValue }
            deviceTokens = rules.deviceTokens
            providerTokens = rules.providerTokens
            topics = rules.topics.sorted()
            order = rules.order
            matchesTopicToPushType = rules.matchesTopicToPushType
            mismatchedTopicReason = rules.mismatchedTopicReason.rawValue
            otherEnvironmentReason = rules.otherEnvironmentReason.rawValue
            malformedPayloadReason = rules.malformedPayloadReason?.rawValue
            namesContentType = rules.namesContentType
            generatesLowerCaseIDs = rules.generatesLowerCaseIDs
            requiresBackgroundPriority = rules.requiresBackgroundPriority
            clockToleranceMilliseconds = rules.clockTolerance.milliseconds
            providerTokenLifetimeMilliseconds = rules.providerTokenLifetime.milliseconds
            providerTokenChanges = rules.providerTokenChanges
            providerTokenChangeWindowMilliseconds = rules.providerTokenChangeWindow.milliseconds
            providerTokenChangeScope = rules.providerTokenChangeScope
            deviceTokenRate = rules.deviceTokenRate.map { Rate(count: $0.count, milliseconds: $0.span.milliseconds) }
        }
    }

    struct Connections: Encodable {
        var initialStreamLimit: UInt32
        var streamLimit: UInt32
        var refusal: ConnectionRules.Refusal
        var refusalsBeforeGoAway: Int?
        var dropsLimitAfterRejection: Bool
        var requestLimit: Int?
        var idleTimeoutMilliseconds: Int?
        var windowDelayMilliseconds: Int?
        var handshakeDelayMilliseconds: Int?
        var distanceMilliseconds: Int?

        init(_ rules: ConnectionRules) {
            initialStreamLimit = rules.initialStreamLimit
            streamLimit = rules.streamLimit
            refusal = rules.refusal
            refusalsBeforeGoAway = rules.refusalsBeforeGoAway
            dropsLimitAfterRejection = rules.dropsLimitAfterRejection
            requestLimit = rules.requestLimit
            idleTimeoutMilliseconds = rules.idleTimeout?.milliseconds
            windowDelayMilliseconds = rules.windowDelay?.milliseconds
            handshakeDelayMilliseconds = rules.handshakeDelay?.milliseconds
            distanceMilliseconds = rules.distance?.milliseconds
        }
    }
}

extension Duration {
    /// Whole milliseconds.
    var milliseconds: Int { Int(self / .milliseconds(1)) }
}
