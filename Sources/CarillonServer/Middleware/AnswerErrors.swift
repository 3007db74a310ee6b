import CarillonEngine
import CarillonModel
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Turns whatever is thrown below it into a problem answer.
///
/// A fault of ours is logged here once, at `error`, under the request's id; nobody sees its text.
struct AnswerErrors: RouterMiddleware {
    typealias Context = ServerContext

    /// Which methods a path takes.
    let methods: AllowedMethods

    func handle(
        _ request: Request,
        context: ServerContext,
        next: (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            return response(to: error, request, context)
        }
    }

    // MARK: - Private

    private func response(to error: any Error, _ request: Request, _ context: ServerContext) -> Response {
        switch error {
        case let problem as Problem: return Response(problem)
        case let answer as ProblemAnswer: return Response(answer.problem, headers: answer.headers)
        case let error as EngineError:
            if case .store(let fault) = error { log(fault, context) }
            return Response(Problem(error))
        case let error as HTTPError where error.status == .notFound: return noRoute(request)
        case is CancellationError: return Response(.storeUnavailable)
        default:
            context.logger.error(
                "Request failed",
                metadata: ["carillon.error": "\(String(reflecting: type(of: error)))"]
            )
            return Response(.internalError)
        }
    }

    private func log(_ fault: StoreError, _ context: ServerContext) {
        switch fault {
        case .full: context.logger.error("Store is full")
        case .unavailable(let reason):
            context.logger.error("Store does not answer", metadata: ["carillon.reason": "\(reason)"])
        case .failed(let reason): context.logger.error("Store failed", metadata: ["carillon.reason": "\(reason)"])
        }
    }

    private func noRoute(_ request: Request) -> Response {
        let allowed = methods.of(request.uri.path)
        guard !allowed.isEmpty else { return Response(.unknownPath) }
        var headers = HTTPFields()
        headers[.allow] = allowed.joined(separator: ", ")
        return Response(.methodNotAllowed, headers: headers)
    }
}

/// A problem that needs header fields of its own, as `Retry-After`.
struct ProblemAnswer: Error {
    var problem: Problem
    var headers: HTTPFields
}

extension ProblemAnswer {
    /// 429 with the seconds to wait.
    static func tooManyRequests(_ detail: String, retryAfter: Int) -> ProblemAnswer {
        var headers = HTTPFields()
        headers[.retryAfter] = String(max(1, retryAfter))
        return ProblemAnswer(problem: .tooManyRequests(detail), headers: headers)
    }

    /// 401 with the challenge of what would be taken.
    static func unauthorized(_ problem: Problem, challenge: String) -> ProblemAnswer {
        var headers = HTTPFields()
        headers[.wwwAuthenticate] = challenge
        return ProblemAnswer(problem: problem, headers: headers)
    }
}

/// Which methods each path of the API takes, to tell 405 from 404.
struct AllowedMethods: Sendable {
    private var routes: [(path: [Substring], methods: [String])] = []

    /// Notes a route; a path's parts in braces stand for anything.
    mutating func insert(_ method: String, _ path: String) {
        let parts = path.split(separator: "/")
        if let index = routes.firstIndex(where: { $0.path == parts }) {
            routes[index].methods.append(method)
        } else {
            routes.append((parts, [method]))
        }
    }

    /// The methods of the path, empty when nothing is there.
    func of(_ path: String) -> [String] {
        let parts = path.split(separator: "/")
        let matching = routes.filter { route in
            route.path.count == parts.count
                && zip(route.path, parts).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
        }
        // A constant part is nearer than a parameter: `campaigns/test` is not a Campaign.
        let nearest = matching.min { $0.path.count { $0.hasPrefix("{") } < $1.path.count { $0.hasPrefix("{") } }
        return (nearest?.methods ?? []).sorted()
    }
}
