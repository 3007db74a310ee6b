#if canImport(UIKit) && canImport(CallKit)
import CallKit
import Carillon
import CarillonCalls
import CarillonPages
import Foundation
import UIKit

/// Writes what the SDK reports into the log; shows surveys and ends calls.
@MainActor
final class PushEvents: NSObject, CarillonAppDelegate, CarillonVoIPDelegate {
    /// How long a call rings, in nanoseconds: nobody is at its other end.
    private static let ringing: UInt64 = 15_000_000_000

    private let log: EventLog
    /// Presents surveys.
    weak var screen: UIViewController?

    init(log: EventLog) { self.log = log }

    func carillon(_ app: CarillonApp, didReceive message: PushMessage) { log.add("received \(message.title ?? "")") }

    func carillon(_ app: CarillonApp, didOpen message: PushMessage) {
        log.add("opened \(message.title ?? "") while \(stateName)")
        guard let survey = SurveyController(for: message, id: app.client.surveyID) else { return }
        survey.onClose = { [log] in log.add("survey closed") }
        log.add("survey \(survey.url)")
        screen?.present(SurveyViewController(survey).inNavigation(), animated: true, completion: nil)
    }

    func carillon(_ app: CarillonApp, didPerform action: PushAction) {
        log.add("action \(action.id) \(action.reply ?? "") of \(action.message.title ?? "")")
    }

    func carillonVoIP(_ voIP: CarillonVoIP, didReceive call: IncomingCall) {
        call.report()
        log.add("call \(call.message.title ?? "") while \(stateName)")
        Task {
            try? await Task.sleep(nanoseconds: Self.ringing)
            voIP.provider.reportCall(with: call.id, endedAt: nil, reason: .unanswered)
            log.add("call ended \(call.message.title ?? "")")
        }
    }

    /// The state in which the system delivers an event: its documentation does not say all of it.
    private var stateName: String {
        switch UIApplication.shared.applicationState {
        case .active: "active"
        case .inactive: "inactive"
        case .background: "background"
        @unknown default: "unknown"
        }
    }
}

// Nobody answers these calls. A provider that has no delegate at all is not what apps have.
extension PushEvents: CXProviderDelegate {
    nonisolated func providerDidReset(_ provider: CXProvider) {}
}
#endif
