public import Coim
public import Foundation

#if canImport(UIKit)
import UIKit
#endif

/// An app of COIMOTION's, screen by screen: the arts events of a city, and the buses that stop near them.
///
/// It is the call sequence of the vendor's demo app, in Swift: nothing but the import is Carillon's.
@MainActor
public final class ArtsGuide: NSObject, coimDelegate {
    /// What the answer of a call is for, as the call's label has it.
    private enum Step: String {
        case profile, login, register, events, event, stops, routes, arrivals, logout
    }

    private let show: (String) -> Void

    /// - Parameter show: Receives what the screens show.
    public init(show: @escaping (String) -> Void) { self.show = show }

    /// The first screen: a guest logs in, anybody else sees the categories.
    public func start() {
        coimSDK.initSDK { error in
            if let error { self.show("not ready: \(error.localizedDescription)") }
        }
        send(.profile, "core/user/profile")
    }

    /// The login screen.
    public func logIn(_ account: String, _ password: String) {
        let parameters = ["accName": account, "passwd": password]
        label(.login, coimSDK.login(to: "core/user/login", withParameter: parameters, delegate: self))
    }

    /// The login screen with its second field: makes an account, which is then logged in.
    public func register(_ account: String, _ password: String, again: String) {
        let parameters = ["accName": account, "passwd": password, "passwd2": again]
        label(.register, coimSDK.register(withParameter: parameters, delegate: self))
    }

    /// A category's events in Kaohsiung, from a day on.
    public func listEvents(category: String, from day: Date, days: Int = 7) {
        let end = day.addingTimeInterval(TimeInterval(days) * 86_400)
        let parameters = ["cat": category, "fromTm": Self.date(day), "toTm": Self.date(end)]
        send(.events, "twShow/show/byCity/15", parameters)
    }

    /// An event.
    public func showEvent(_ id: String) { send(.event, "twShow/show/info/\(id)", ["detail": "1"]) }

    /// The bus stops near an event.
    public func listStops(latitude: String, longitude: String) {
        send(.stops, "twCtBus/busStop/search", ["lat": latitude, "lng": longitude])
    }

    /// The routes that stop at a stop.
    public func listRoutes(stop id: String) { send(.routes, "twCtBus/busStop/routes/\(id)") }

    /// When the buses of a route arrive at its stops.
    public func listArrivals(route id: String) { send(.arrivals, "twCtBus/busRoute/next/\(id)") }

    /// The settings' screen: afterwards nobody is logged in, whatever the server says.
    public func logOut() { label(.logout, coimSDK.logout(from: "core/user/logout", delegate: self)) }

    // MARK: - The delegate

    /// The server has answered the call with this label.
    public func coimConnectionDidFinishLoading(
        _ connection: CoimConnection,
        withData responseData: [AnyHashable: Any]
    ) {
        guard let step = connection.accessibilityLabel.flatMap(Step.init(rawValue:)) else { return }
        guard coimSDK.getErrCode(from: responseData) == 0 || step == .logout else {
            return show("\(step): refused, \(coimSDK.getMessage(from: responseData))")
        }
        let (value, list) = (coimSDK.getValue(from: responseData), coimSDK.getList(from: responseData))
        switch step {
        case .profile: show(value["isGuest"] as? Bool == true ? "login" : "categories")
        case .login, .register: show("categories")
        case .events: show("events: " + texts(list, "title"))
        case .event: show("event: \(value["title"] ?? ""), \(value["organizer"] ?? "")")
        case .stops: show("stops: " + texts(list, "stName"))
        case .routes: show("routes: " + texts(list, "rtName"))
        case .arrivals: show("arrivals: " + texts(list, "stName", "arvTime"))
        case .logout: show("login")
        }
    }

    /// There was no answer; after a logout nobody is logged in all the same.
    public func coimConnection(_ connection: CoimConnection, didFailWithError error: any Error) {
        let isLogout = connection.accessibilityLabel == Step.logout.rawValue
        show(isLogout ? "login" : "failed: \(error.localizedDescription)")
    }

    /// The session has ended at the server.
    public func coimConnectionInvalidToken(_ connection: CoimConnection) { show("logged out") }

    // MARK: - Private

    private func send(_ step: Step, _ operation: String, _ parameters: [String: Any]? = nil) {
        label(step, coimSDK.send(to: operation, withParameter: parameters, delegate: self))
    }

    private func label(_ step: Step, _ connection: CoimConnection) { connection.accessibilityLabel = step.rawValue }

    /// Texts of rows; a stop without a prediction has no time.
    private func texts(_ list: [Any], _ names: String...) -> String {
        let rows = list.compactMap { $0 as? [String: Any] }.map { row in
            names.compactMap { row[$0] as? String }.joined(separator: " ")
        }
        return rows.joined(separator: ", ")
    }

    /// A day as the server reads it, whatever calendar the phone has.
    private static func date(_ day: Date) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.calendar = Calendar(identifier: .gregorian)
        format.timeZone = TimeZone(identifier: "Asia/Taipei")
        format.dateFormat = "yyyy-MM-dd"
        return format.string(from: day)
    }
}
