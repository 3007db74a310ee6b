import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird
import NIOCore

extension Console {
    /// The response of an outcome.
    func response(_ outcome: Outcome, _ call: ConsoleCall) async throws -> Response {
        switch outcome {
        case .page(let view): return try await page(view, .ok, call)
        case .problems(let view): return try await page(view, .unprocessableContent, call, hasProblems: true)
        case .other(let status, let view): return try await page(view, status, call)
        case .redirect(let path, let notice):
            var response = redirect(path)
            if let notice { call.cookies.setNotice(notice, in: &response) }
            return response
        case .download(let name, let type, let body):
            return Response(
                status: .ok,
                headers: [.contentType: type, .contentDisposition: "attachment; filename=\"\(name)\""],
                body: guarded(body, call.session)
            )
        case .stream(let body): return Response(status: .ok, headers: [.contentType: "text/event-stream"], body: body)
        case .nothing: return Response(status: .noContent)
        case .opened(let opened, let continuation, let notice):
            return try await continued(opened, continuation, notice, call)
        case .openedPage(let opened, let view):
            var call = call
            (call.cookie, call.session) = (opened.value, opened.session)
            call.audit.note(opened.session)
            var response = try await page(view, .ok, call)
            call.cookies.setSession(opened.value, in: &response)
            return response
        case .leaving(let address, let pending, let view):
            var response = try await page(view, .ok, call)
            // Not a redirect: with one, browsers forbid the form that leads there (form-action).
            if let refresh = HTTPField.Name("Refresh") { response.headers[refresh] = "0;url=" + address }
            call.cookies.setPending(try pending.sealed(engine.context.vault), in: &response)
            return response
        case .ended(let path, let notice):
            var response = redirect(path)
            call.cookies.endSession(in: &response)
            if let notice { call.cookies.setNotice(notice, in: &response) }
            return response
        }
    }

    /// How pages look for who sends a request.
    func look(_ call: ConsoleCall) -> Look {
        let owner = call.session?.owner
        let chosen = owner?.language.flatMap(Language.init(rawValue:))
        var language = chosen ?? Language(accepting: call.request.headers[.acceptLanguage])
        if configuration.offersPseudoLanguage, call.request.query["language"] == Language.pseudo.rawValue {
            language = .pseudo
        }
        let texts = texts[language] ?? Texts(language, .empty)
        var look = Look(
            texts,
            zone: owner?.zone ?? "UTC",
            theme: owner?.theme ?? call.cookies.theme(call.request.cookies)
        )
        look.isSandbox = configuration.isSandbox || call.app?.usesSimulator == true
        return look
    }

    // MARK: - Private

    /// A file whose parts are sent as long as the session lasts: what ends a session ends its exports.
    private func guarded(_ body: ResponseBody, _ session: OperatorSession?) -> ResponseBody {
        guard let session else { return body }
        let operators = engine.operators
        return ResponseBody(contentLength: body.contentLength) { writer in
            try await body.write(GuardedWriter(inner: writer) { await operators.isOpen(session) })
        }
    }

    private func page(
        _ view: any PageView,
        _ status: HTTPResponse.Status,
        _ call: ConsoleCall,
        hasProblems: Bool = false
    ) async throws -> Response {
        // A form needs a token, and a token a value that only this browser has.
        let value = call.browser
        let look = look(call)
        let page = try await document(view, value, look, call, hasProblems: hasProblems)
        guard let text = renderer.render(page, look.texts, view) else { throw ConsoleProblem.notFound }
        var response = Response(
            status: status,
            headers: [.contentType: "text/html; charset=utf-8", .contentLanguage: look.language.rawValue],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
        if call.cookie == nil { call.cookies.setSession(value, in: &response) }
        if call.cookies.notice(call.request.cookies) != nil { call.cookies.setNotice(nil, in: &response) }
        return response
    }
}

extension Catalogue {
    /// A catalogue without texts.
    static let empty = Catalogue(texts: [:])
}
