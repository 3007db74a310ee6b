import HTTPTypes
import Hummingbird
import NIOCore

extension ControlAPI {
    func addFeeds(to router: Router<Context>) {
        router.post("/feed") { request, context in
            var request = request
            let tokens = try await request.readStrictlyKeeping(context: context, Self.tokens)
            let feed = try translated { () throws(SimulatorHandle.Failure) in try handle.openFeed(tokens) }
            return stream(feed, to: request.body)
        }
        router.post("/feed/:feed/tokens") { request, context in
            // What is no number is no feed's id either.
            let feed = Int(try context.parameters.require("feed")) ?? 0
            let tokens = try await request.readStrictly(context: context, Self.tokens)
            try translated { () throws(SimulatorHandle.Failure) in
                try handle.follow(tokens, in: FeedID(rawValue: feed))
            }
            return HTTPResponse.Status.noContent
        }
    }

    /// Reads a list of device tokens.
    static func tokens(_ fields: inout StrictFields) throws(FieldProblem) -> [String] {
        try fields.required("tokens", try fields.texts("tokens", limit: 1_000_000, bytes: 0...512))
    }

    /// Streams lines until the feed ends or its client disconnects; then its phones are offline.
    private func stream(_ feed: DeliveryFeed, to reader: RequestBody) -> Response {
        var headers: HTTPFields = [.contentType: "application/x-ndjson"]
        if let name = HTTPField.Name("carillon-feed-id") {
            headers[name] = "\(feed.id.rawValue)"
        }
        return Response(
            status: .ok,
            headers: headers,
            body: ResponseBody { writer in
                defer { handle.close(feed.id) }
                try await reader.consumeWithInboundCloseHandler { _ in
                    while let lines = await feed.next() {
                        try await writer.write(lines)
                    }
                    try await writer.finish(nil)
                } onInboundClosed: {
                    handle.close(feed.id)
                }
            }
        )
    }
}
