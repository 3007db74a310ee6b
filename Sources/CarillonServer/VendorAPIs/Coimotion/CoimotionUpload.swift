import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import Hummingbird

/// Callers who attach files: somebody who is signed in.
///
/// The app key may be missing, as the vendor's SDKs leave it out of forms.
struct CoimotionUploadAccess: RouteAccess {
    /// How many uploads are read at a time, each of which is in memory as a whole, and how many of an address.
    private static let uploadsAtOnce = 64
    private static let uploadsOfAddress = 8

    let access: CoimotionAccess
    private let deadline: CoimotionDeadline
    private let places: Places<String>

    init(access: CoimotionAccess, timer: any DispatchClock = SystemDispatchClock()) {
        self.access = access
        deadline = CoimotionDeadline(timer: timer)
        places = Places(total: Self.uploadsAtOnce, perKey: Self.uploadsOfAddress)
    }

    var text: String { "coimotion: token" }
    var ignoresUnknownNames: Bool { true }

    func call(
        _ request: Request,
        _ context: ServerContext,
        _ credentials: Credentials
    ) async throws -> CoimotionUpload {
        let caller = try await access.caller(request, context, credentials)
        let query = CoimotionParameters.query(of: request)
        if try query.text("_key") != nil { _ = try caller.checkKey(query, orToken: true) }
        try caller.count(isReading: false)
        guard let place = try? places.acquire(caller.network) else {
            throw credentials.limiter.refuse(.zero, .costly, "Too many files are being sent.")
        }
        // Whoever sends slowly must not keep the place.
        let form = try await deadline.run { try await CoimotionForm.read(request) }
        let hasKey = try caller.checkKey(form.parameters, orToken: true)
        return CoimotionUpload(
            call: try caller.call(form.parameters, hasKey: hasKey),
            files: form.files,
            place: place
        )
    }
}

/// How long a request with files may take in all, beside the connection's least speed.
struct CoimotionDeadline: Sendable {
    static let time = Duration.seconds(30)

    let timer: any DispatchClock

    /// Reads, and cancels the reading at the deadline.
    ///
    /// - Parameter read: Reads the request.
    /// - Returns: What it returns.
    /// - Throws: ``CoimotionFailure/tooSlow`` at the deadline, and errors of `read`.
    func run<Value: Sendable>(_ read: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let (timer, end) = (timer, timer.now() + Self.time)
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await read() }
            group.addTask {
                await timer.sleep(until: end)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let value = first else { throw CoimotionFailure.tooSlow }
            return value
        }
    }
}

/// An authorized call with files.
struct CoimotionUpload: RouteCall {
    let call: CoimotionCall
    let files: [ContentAttachments.File]
    /// Is held while the files are in memory.
    let place: Places<String>.Place

    var request: Request { call.request }
    var context: ServerContext { call.context }
}

/// What comes with an upload: a form with texts and files, or JSON with a file as a `data:` URL.
struct CoimotionForm: Sendable {
    private static let fields: Set<String> = ["att0", "att1", "att2"]
    /// Room for the texts and the borders of a form.
    private static let formLimit = ContentAttachmentLimits.bytesAtOnce + BodyLimit.standard
    /// Base64 has four characters for three bytes.
    private static let jsonLimit = ContentAttachmentLimits.bytesAtOnce / 3 * 4 + BodyLimit.standard

    var parameters: CoimotionParameters
    var files: [ContentAttachments.File] = []

    /// Reads a request.
    ///
    /// - Throws: ``CoimotionFailure`` and others for what is neither, and for files that are too many or too large.
    static func read(_ request: Request) async throws -> Self {
        let type = request.first(.contentType) ?? ""
        guard type.lowercased().hasPrefix("multipart/form-data") else {
            var form = Self(parameters: try await CoimotionParameters.read(request, upTo: jsonLimit))
            if let text = try form.parameters.text("dataURI") { form.files = [try file(ofDataURI: text)] }
            return form
        }
        guard let boundary = MultipartReader.boundary(of: type) else {
            throw CoimotionFailure.malformed(400, "Content-Type must name the form's boundary.")
        }
        return try form(try await body(of: request), boundary, CoimotionParameters.query(of: request))
    }

    private static func body(of request: Request) async throws -> [UInt8] {
        if let announced = request.first(.contentLength).flatMap({ Int($0) }), announced > formLimit {
            throw Problem.bodyTooLarge(limit: formLimit)
        }
        var bytes: [UInt8] = []
        for try await part in request.body {
            guard bytes.count + part.readableBytes <= formLimit else { throw Problem.bodyTooLarge(limit: formLimit) }
            bytes.append(contentsOf: part.readableBytesView)
        }
        return bytes
    }

    private static func form(_ body: [UInt8], _ boundary: String, _ query: CoimotionParameters) throws -> Self {
        var (values, files) = ([String: JSONValue](), [String: ContentAttachments.File]())
        var reader = try MultipartReader(body, boundary: boundary)
        while let part = try reader.next() {
            guard let name = part.name.flatMap({ String(validating: $0, as: UTF8.self) }), name.utf8.count <= 64 else {
                throw CoimotionFailure.malformed(400, "The form must have parts with a name.")
            }
            if fields.contains(name) || part.fileName != nil {
                // What a browser sends of a field without a file.
                if part.fileName?.isEmpty == true, part.value.isEmpty { continue }
                guard fields.contains(name), files[name] == nil else {
                    throw CoimotionFailure.wrong(name, "must not be a file: those are att0, att1 and att2")
                }
                let fileName = String(decoding: part.fileName ?? Array(name.utf8), as: UTF8.self)
                files[name] = ContentAttachments.File(name: fileName, bytes: Array(part.value))
            } else {
                guard values.count < 64, let text = String(validating: part.value, as: UTF8.self) else {
                    throw CoimotionFailure.wrong(name, "must be UTF-8, and one of at most 64 texts")
                }
                values[name] = .string(text)
            }
        }
        let ordered = files.sorted { $0.key < $1.key }.map { $0.value }
        return Self(parameters: query.merging(values), files: ordered)
    }

    /// The file in a `data:` URL (RFC 2397) with base64.
    private static func file(ofDataURI text: String) throws -> ContentAttachments.File {
        let wrong = CoimotionFailure.wrong("dataURI", "must begin with data: and have base64 after ;base64,")
        guard text.prefix(5).lowercased() == "data:", let comma = text.firstIndex(of: ","),
            text[..<comma].lowercased().hasSuffix(";base64"),
            let data = Data(base64Encoded: String(text[comma...].dropFirst()))
        else { throw wrong }
        return ContentAttachments.File(name: "file", bytes: Array(data))
    }
}
