import ApplePush
import ApplePushConnection
import CarillonBytes
import Foundation
import NIOCore
import NIOHPACK

/// The request of the examination, and the meaning of its answer.
extension APNsDoctor {
    func sendRequest(
        _ connection: APIConnection,
        _ credential: Credential,
        _ bundleID: BundleID,
        _ report: inout DoctorReport
    ) async {
        guard let request = try? request(credential, bundleID) else {
            report.add(.bad(.credentials, "the key could not sign", "Make a new key in Apple's developer account."))
            return
        }
        let outcome = await connection.perform(request, deadline: .now() + timeout)
        switch outcome {
        case .answered(let answer):
            report.add(clock(answer.fields.first(name: "date")))
            switch Answer(status: answer.status, body: answer.body) {
            case .accepted: accepted(&report)
            case .rejected(let rejection): refused(rejection, &report)
            }
        case .notSent, .unknown:
            report.add(clock(nil))
            let reason = connection.closure?.reason
            if let found = reason.map({ Remedy(Rejection($0, status: 400)) }), found.fault == .credentials {
                report.add(.bad(.credentials, found.text, found.advice))
            } else {
                let word = reason.map { ", and said \(printable($0.rawValue))" } ?? ""
                report.add(.bad(.credentials, "the server did not answer\(word)", "Try again in some minutes."))
            }
        }
    }

    private func request(_ credential: Credential, _ bundleID: BundleID) throws -> APIRequest {
        let encoded: PushRequest
        if isVisible {
            encoded = try AlertMessage(title: "Carillon", body: "This is a test of your push settings.")
                .request(for: bundleID)
        } else {
            // Without content-available: the app is not launched.
            encoded = try RawMessage(
                .background,
                payload: ["aps": [:]],
                priority: .considerate,
                expiration: .nowOrNever
            ).request(for: bundleID)
        }
        var fields = HPACKHeaders(encoded.headers.fields.map { ($0.name, $0.value) })
        if let token = try credential.token(at: Date(timeIntervalSince1970: Double(now()))) {
            fields.add(name: "authorization", value: "bearer " + token.rawValue, indexing: .neverIndexed)
        }
        let device = deviceToken?.hex ?? Hexadecimal.encode((0..<32).map { _ in UInt8.random(in: 0...255) })
        return APIRequest(
            method: "POST",
            path: ProviderAPI.devicePath + device,
            fields: fields,
            body: encoded.payload.bytes
        )
    }

    private var howAsked: String {
        switch (isVisible, deviceToken != nil) {
        case (true, _): "checked with a visible notification"
        case (false, true): "checked with a background notification that shows nothing"
        case (false, false): "checked with a device token that does not exist"
        }
    }

    private func accepted(_ report: inout DoctorReport) {
        report.add(.good(.credentials, "accepted (\(howAsked))"))
        report.add(.good(.permission, "granted"))
        report.add(
            deviceToken == nil
                ? .unknown(
                    .deviceToken,
                    "none given; the server accepted a generated one, so it is not Apple's APNs"
                )
                : .good(.deviceToken, "good for this environment and topic")
        )
    }

    private func refused(_ rejection: Rejection, _ report: inout DoctorReport) {
        if deviceToken == nil, rejection.reason == .badDeviceToken {
            report.add(.good(.credentials, "accepted (\(howAsked))"))
            report.add(.good(.permission, "granted"))
            report.add(
                .unknown(
                    .deviceToken,
                    "none given",
                    "Give one with --token to see whether it suits key and environment."
                )
            )
            return
        }
        let found = Remedy(rejection)
        switch found.fault {
        case .credentials: report.add(.bad(.credentials, found.text, found.advice))
        case .permission:
            report.add(.good(.credentials, "accepted (\(howAsked))"))
            report.add(.bad(.permission, found.text, found.advice))
        case .deviceToken:
            report.add(.good(.credentials, "accepted (\(howAsked))"))
            report.add(.good(.permission, "granted"))
            report.add(.bad(.deviceToken, found.text, found.advice))
        case .serviceUnavailable, .request: report.add(.unknown(.credentials, found.text, found.advice))
        }
    }

    // MARK: - The clock

    /// Compares this computer's clock with a server's; provider tokens are valid for an hour.
    func clock(_ date: String?) -> Finding {
        let here = now()
        let advice = "Set this computer's clock, best by NTP: a provider token carries the time."
        guard (1_735_689_600..<4_102_444_800).contains(here) else {
            return .bad(.clock, "this computer thinks it is \(Self.text(here))", advice)
        }
        guard let there = date.flatMap(HTTPDate.seconds) else {
            return .unknown(.clock, "this computer says \(Self.text(here)); the server does not send its time")
        }
        let difference = abs(here - there)
        guard difference <= 300 else {
            return .bad(
                .clock,
                "it is \(difference) seconds \(here < there ? "behind" : "ahead of") the server's",
                advice
            )
        }
        return .good(.clock, "\(difference) seconds from the server's")
    }

    private static func text(_ seconds: Int64) -> String {
        let formatter = ISO8601DateFormatter()
        return formatter.string(from: Date(timeIntervalSince1970: TimeInterval(seconds)))
    }
}
