import HTTPTypes
import Hummingbird
import NIOCore

extension ControlAPI {
    func addFeeds(to router: Router<Context>) {
        router.post("/feed") { request, context in
            var request = request
            let body = try await request.decodeStrictlyKeeping(FeedBody.self, context: context)
            let feed = try translated { () throws(SimulatorHandle.Failure) in try handle.openFeed(body.tokens) }
            return stream(feed, to: request.body)
        }
        router.post("/feed/:feed/tokens") { request, context in
            let feed = try context.parameters.require("feed", as: Int.self)
            let body = try await request.decodeStrictly(FeedBody.self, context: context)
            try translated { () throws(SimulatorHandle.Failure) in
                try handle.follow(body.tokens, in: FeedID(rawValue: feed))
            }
            return HTTPResponse.Status.noContent
        }
    }

    /// Writes lines as they come, until the feed ends or its reader leaves; then its phones are offline.
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
