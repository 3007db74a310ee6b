import HTTPTypes
import Hummingbird
import NIOCore

extension ControlAPI {
    func addChannels(to router: Router<Context>) {
        router.get("/channels") { _, _ in handle.channels().map(ChannelListing.init) }
        router.post("/channels") { request, context in
            let (name, policy) = try await request.readStrictly(context: context) { fields throws(FieldProblem) in
                let name = try ChannelOwner(reading: &fields)
                return (name, try fields.integer("storagePolicy", 0...1) ?? 0)
            }
            let id = try translated { () throws(SimulatorHandle.Failure) in
                try handle.createChannel(
                    of: name.bundleID,
                    in: name.environment,
                    storage: ChannelStorage(rawValue: policy) ?? .none
                )
            }
            return EditedResponse(status: .created, response: ChannelIDAnswer(id: id))
        }
        router.post("/channels/subscribe") { request, context in
            let order = try await request.readStrictly(context: context, SubscriptionOrder.init(reading:))
            try translated { () throws(SimulatorHandle.Failure) in
                try handle.subscribe(
                    order.tokens,
                    to: order.id,
                    of: order.owner.bundleID,
                    in: order.owner.environment
                )
            }
            return HTTPResponse.Status.noContent
        }
        router.post("/channels/unsubscribe") { request, context in
            let order = try await request.readStrictly(context: context, SubscriptionOrder.init(reading:))
            try translated { () throws(SimulatorHandle.Failure) in
                try handle.unsubscribe(
                    order.tokens,
                    from: order.id,
                    of: order.owner.bundleID,
                    in: order.owner.environment
                )
            }
            return HTTPResponse.Status.noContent
        }
        router.put("/broadcasting/:app") { request, context in
            let app = try context.parameters.require("app")
            let isEnabled = try await request.readStrictly(context: context) { fields throws(FieldProblem) in
                try fields.required("enabled", try fields.flag("enabled"))
            }
            handle.setBroadcasting(isEnabled, for: app)
            return HTTPResponse.Status.noContent
        }
    }
}

/// The owner of a channel.
private struct ChannelOwner {
    var bundleID: String
    var environment: PushEnvironment

    init(reading fields: inout StrictFields) throws(FieldProblem) {
        bundleID = try fields.required("bundleID", try fields.text("bundleID", bytes: 1...255))
        environment = try fields.choice("environment") ?? .production
    }
}

private struct SubscriptionOrder {
    var owner: ChannelOwner
    var id: String
    var tokens: [String]

    init(reading fields: inout StrictFields) throws(FieldProblem) {
        owner = try ChannelOwner(reading: &fields)
        id = try fields.required("id", try fields.text("id"))
        tokens = try ControlAPI.tokens(&fields)
    }
}

struct ChannelIDAnswer: ResponseEncodable, Encodable {
    var id: String
}

struct ChannelListing: ResponseEncodable, Encodable {
    var id: String
    var bundleID: String
    var environment: PushEnvironment
    var storagePolicy: Int
    var subscribers: Int
    var broadcasts: Int

    init(_ report: ChannelReport) {
        id = report.id
        bundleID = report.bundleID
        environment = report.environment
        storagePolicy = report.storage.rawValue
        subscribers = report.subscribers
        broadcasts = report.broadcasts
    }
}
