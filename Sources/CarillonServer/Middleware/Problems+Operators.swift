import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The problems of requests about Operators.
extension Problem {
    static func operators(_ refusal: OperatorRefusal) -> Problem {
        switch refusal {
        case .addressTaken:
            Problem(code: "operator-address-taken", title: "Another Operator has this address.", status: 409)
        case .lastAdmin:
            Problem(
                code: "last-admin",
                title: "The Operator is the last one who can administer.",
                status: 409,
                detail: "Give another active Operator the role admin first."
            )
        // Nobody signs in here: sessions are the console's.
        case .wrongCredentials, .noSession, .incomplete, .freshAuthenticationRequired, .roleRequired, .linkGone,
            .secondFactorRequired, .tooMany, .busy:
            .internalError
        }
    }
}
