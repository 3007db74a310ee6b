import HTTPTypes
import Hummingbird
import NIOCore

extension ControlAPI {
    /// Allows only resources and scripts from here, and no framing by other pages.
    static let contentSecurityPolicy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; \
        form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types simulator-page
        """

    func addPage(to router: Router<Context>) {
        router.get("/") { _, _ in
            let view = PageView(snapshot: await handle.snapshot())
            return page(view.document)
        }
        for asset in PageAsset.allCases {
            router.get(RouterPath(asset.path)) { _, _ in asset.response }
        }
        router.get("/page/events") { request, context in
            let start = ContinuousClock.now
            return try watch(request, context, PageFrames()) { frames in
                frames.next(await handle.snapshot(), at: ContinuousClock.now - start)
            }
        }
        router.get("/events") { request, context in
            let last = HTTPField.Name("last-event-id").flatMap { request.headers[$0] }.flatMap { Int($0) }
            let frames = EventFrames(after: last.map { max(0, $0) })
            return try watch(request, context, frames) { frames in frames.next(handle.core) }
        }
    }

    private func page(_ html: HTML) -> Response {
        var headers: HTTPFields = [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"]
        headers[.contentSecurityPolicy] = Self.contentSecurityPolicy
        if let name = HTTPField.Name("referrer-policy") { headers[name] = "no-referrer" }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: html.text)))
    }

    /// Streams frames until the client disconnects or is too slow, or the simulator stops.
    ///
    /// The closure returns nil when nothing has changed.
    private func watch<Frames: Sendable>(
        _ request: Request,
        _ context: Context,
        _ frames: Frames,
        next: @escaping @Sendable (inout Frames) async -> String?
    ) throws -> Response {
        guard let watch = watchers.join() else {
            throw HTTPError(.serviceUnavailable, message: "at most \(Watchers.limit) may look on at once")
        }
        let (reader, pace, channel) = (request.body, watchers.pace, context.channel)
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { [watchers] writer in
                defer { watchers.leave(watch) }
                try await reader.consumeWithInboundCloseHandler { _ in
                    var (frames, last) = (frames, ContinuousClock.now)
                    try await writer.write(ByteBuffer(string: "retry: 1000\n\n"))
                    while !watch.isEnded {
                        let frame = await next(&frames)
                        if let text = frame ?? (last + pace.heartbeat < .now ? EventText.heartbeat : nil) {
                            let cut = channel.eventLoop.scheduleTask(in: TimeAmount(pace.patience)) {
                                channel.close(promise: nil)
                            }
                            defer { cut.cancel() }
                            try await writer.write(ByteBuffer(string: text))
                            last = .now
                        }
                        try await Task.sleep(for: pace.interval)
                    }
                    try await writer.finish(nil)
                } onInboundClosed: {
                    watch.end()
                }
            }
        )
    }
}

/// The static files of the page.
enum PageAsset: String, CaseIterable, Sendable {
    case style = "page.css"
    case script = "page.js"
    case icon = "page.svg"
    case description = "openapi.yaml"

    var path: String { "/" + rawValue }

    var response: Response {
        Response(
            status: .ok,
            headers: [.contentType: contentType, .cacheControl: "no-cache"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }

    private var bytes: [UInt8] {
        switch self {
        case .style: PackageResources.page_css
        case .script: PackageResources.page_js
        case .icon: PackageResources.page_svg
        case .description: PackageResources.openapi_yaml
        }
    }

    private var contentType: String {
        switch self {
        case .style: "text/css; charset=utf-8"
        case .script: "text/javascript; charset=utf-8"
        case .icon: "image/svg+xml"
        case .description: "application/yaml"
        }
    }
}
