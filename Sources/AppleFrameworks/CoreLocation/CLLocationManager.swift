public import Foundation
import UserNotifications

/// Degrees.
public typealias CLLocationDegrees = Double
/// Metres.
public typealias CLLocationAccuracy = Double

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Good to a kilometre.
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1_000

/// A place on the earth.
public struct CLLocationCoordinate2D: Sendable {
    /// Degrees north.
    public var latitude: CLLocationDegrees
    /// Degrees east.
    public var longitude: CLLocationDegrees

    /// Makes a place.
    ///
    /// - Parameters:
    ///   - latitude: Degrees north.
    ///   - longitude: Degrees east.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// Where the phone was, and when.
open class CLLocation: NSObject {
    /// Where.
    public let coordinate: CLLocationCoordinate2D
    /// How far off it may be, in metres; below zero, the place is not known.
    public let horizontalAccuracy: CLLocationAccuracy
    /// When.
    public let timestamp: Date

    /// Makes a location.
    ///
    /// - Parameters:
    ///   - latitude: Degrees north.
    ///   - longitude: Degrees east.
    public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        let place = CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
        self.init(place, accuracy: 0, at: Date())
    }

    init(_ place: CLLocationCoordinate2D, accuracy: CLLocationAccuracy, at time: Date) {
        coordinate = place
        horizontalAccuracy = accuracy
        timestamp = time
    }
}

/// Whether an app may know where the phone is.
public enum CLAuthorizationStatus: Int32, Sendable {
    /// The person was not asked.
    case notDetermined
    /// The phone does not allow it.
    case restricted
    /// No.
    case denied
    /// Yes, even when the app is not in use.
    case authorizedAlways
    /// Yes, while the app is in use.
    case authorizedWhenInUse
}

/// What went wrong with finding the phone.
public struct CLError: Error, Hashable, Sendable {
    /// Which kind of error.
    public enum Code: Int, Sendable {
        /// The place is not known now.
        case locationUnknown
        /// The person does not allow it.
        case denied
    }

    /// Which kind of error.
    public let code: Code

    init(_ code: Code) { self.code = code }
}

/// Finds the phone.
open class CLLocationManager: NSObject {
    private let compass: SimulatedCompass

    /// Makes a manager.
    public override init() {
        compass = SimulatedSystem.required.part()
    }

    /// Is told where the phone is.
    weak open var delegate: (any CLLocationManagerDelegate)? {
        // "The system calls this method when the app creates the object's location manager instance."
        didSet { announce { $1.locationManagerDidChangeAuthorization($0) } }
    }

    /// How exact it is to be, in metres.
    open var desiredAccuracy: CLLocationAccuracy = 0

    /// Whether the app may know.
    open var authorizationStatus: CLAuthorizationStatus { compass.status }

    /// Asks the person, if they were not asked before.
    open func requestWhenInUseAuthorization() {
        guard compass.prompt() else { return }
        announce { $1.locationManagerDidChangeAuthorization($0) }
    }

    /// Asks for the phone's place, once.
    ///
    /// The delegate is told it, or that it is not known.
    open func requestLocation() {
        let answer = Carried(compass.find())
        announce { manager, delegate in
            switch answer.value {
            case .success(let location): delegate.locationManager(manager, didUpdateLocations: [location])
            case .failure(let error): delegate.locationManager(manager, didFailWithError: error)
            }
        }
    }

    /// Stops looking.
    open func stopUpdatingLocation() {}

    private func announce(_ tell: @escaping @Sendable (CLLocationManager, any CLLocationManagerDelegate) -> Void) {
        let manager = Carried(self)
        Task { @MainActor in
            if let delegate = manager.value.delegate { tell(manager.value, delegate) }
        }
    }
}

/// Is told where the phone is.
public protocol CLLocationManagerDelegate: NSObjectProtocol {
    /// Whether the app may know has changed.
    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)

    /// The phone was found.
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])

    /// The phone was not found.
    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
}

extension CLLocationManagerDelegate {
    /// Does nothing.
    public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
}
