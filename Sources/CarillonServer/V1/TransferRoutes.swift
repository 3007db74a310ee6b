import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird
import NIOCore

/// `/v1/device-import` and `/v1/device-export`: all Devices with their tokens, for keys of scope `admin`.
struct TransferRoutes: Sendable {
    let imports: DeviceImports
    let exports: DeviceExports

    func declare(_ routes: inout Routes) {
        routes.on(
            .post,
            "/v1/device-import",
            .key(.admin, app: .query),
            query: ["dryRun", "ignoreUnknownColumns"],
            importDevices
        )
        routes.on(
            .get,
            "/v1/device-export",
            .key(.admin, app: .query),
            recorded: .all,
            query: ["format", "from", "until", "cursor"],
            exportDevices
        )
    }

    @Sendable private func importDevices(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let query = call.query
        let app = try call.app()
        guard let format = DeviceFileFormat(contentType: call.request.first(.contentType)) else {
            throw Problem.unsupportedFile
        }
        let report = try await imports.importDevices(
            BodyParts(body: call.request.body),
            app: app,
            format: format,
            ignoresUnknownColumns: try query.flag("ignoreUnknownColumns") ?? false,
            isDryRun: try query.flag("dryRun") ?? false
        )
        return try Response(report)
    }

    /// The range of an export; `nil` for all Devices.
    private func changes(_ query: Query) throws -> Range<Timestamp>? {
        let (from, until) = (try query.time("from"), try query.time("until"))
        guard from != nil || until != nil else { return nil }
        let (start, end) = (from ?? Timestamp(rawValue: 0), until ?? Timestamp(rawValue: .max))
        guard start < end else {
            throw Problem.invalidField(FieldError(field: "until", problem: "must be later than from"))
        }
        return start..<end
    }

    @Sendable private func exportDevices(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let query = call.query
        let app = try call.app()
        guard let format = DeviceFileFormat(rawValue: query["format"] ?? DeviceFileFormat.csv.rawValue) else {
            throw Problem.invalidField(FieldError(field: "format", problem: "must be csv or jsonl"))
        }
        let place = try call.acquireCostly(app)
        let reading = try await exports.begin(
            app: app,
            format: format,
            changes: try changes(query),
            cursor: query["cursor"]
        )
        var headers = HTTPFields()
        headers[.contentType] = format.contentType
        headers[.contentDisposition] = "attachment; filename=\"devices.\(format.rawValue)\""
        return Response(
            status: .ok,
            headers: headers,
            body: ResponseBody { writer in
                defer { withExtendedLifetime(place) {} }
                var reading = reading
                while let part = try await reading.next() { try await writer.write(ByteBuffer(bytes: part)) }
                try await writer.finish(nil)
            }
        )
    }
}

/// The parts of a request's body as bytes.
private struct BodyParts: AsyncSequence {
    typealias Element = ByteBufferView

    let body: RequestBody

    struct AsyncIterator: AsyncIteratorProtocol {
        var parts: RequestBody.AsyncIterator

        mutating func next() async throws -> ByteBufferView? { try await parts.next()?.readableBytesView }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(parts: body.makeAsyncIterator()) }
}

extension DeviceFileFormat {
    fileprivate init?(contentType: String?) {
        switch contentType?.prefix(while: { $0 != ";" }).trimmingPrefix(while: { $0 == " " }).lowercased() {
        case "text/csv": self = .csv
        case "application/x-ndjson", "application/jsonl": self = .jsonLines
        default: return nil
        }
    }

    fileprivate var contentType: String {
        switch self {
        case .csv: "text/csv; charset=utf-8"
        case .jsonLines: "application/x-ndjson"
        }
    }
}

extension Problem {
    /// 415: the body is neither CSV nor JSON Lines.
    fileprivate static let unsupportedFile = Problem(
        code: "unsupported-media-type",
        title: "The body must be CSV or JSON Lines.",
        status: 415,
        detail: "Content-Type must be text/csv or application/x-ndjson."
    )
}
