import CarillonModel
import HTTPTypes

/// A problem with header fields of its own, such as `Retry-After`.
struct ProblemAnswer: Error {
    var problem: Problem
    var headers: HTTPFields
}

extension ProblemAnswer {
    /// 429 with `Retry-After`.
    static func tooManyRequests(_ detail: String, retryAfter: Int) -> ProblemAnswer {
        var headers = HTTPFields()
        headers[.retryAfter] = String(max(1, retryAfter))
        return ProblemAnswer(problem: .tooManyRequests(detail), headers: headers)
    }

    /// 401 with a challenge.
    static func unauthorized(_ problem: Problem, challenge: String) -> ProblemAnswer {
        var headers = HTTPFields()
        headers[.wwwAuthenticate] = challenge
        return ProblemAnswer(problem: problem, headers: headers)
    }
}
