public import Foundation
import UserNotifications

/// Degrees.
public typealias CLLocationDegrees = Double
/// Metres.
public typealias CLLocationAccuracy = Double

// swift-format-ignore: AlwaysUseLowerCamelCase
/// An accuracy of one kilometre.
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1_000

/// A coordinate on the earth.
public struct CLLocationCoordinate2D: Sendable {
    /// Degrees north.
    public var latitude: CLLocationDegrees
    /// Degrees east.
    public var longitude: CLLocationDegrees

    /// Creates a coordinate.
    ///
    /// - Parameters:
    ///   - latitude: Degrees north.
    ///   - longitude: Degrees east.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// A location of the phone with its time.
open class CLLocation: NSObject {
    /// The coordinate.
    public let coordinate: CLLocationCoordinate2D
    /// The accuracy in metres; negative when the location is invalid.
    public let horizontalAccuracy: CLLocationAccuracy
    /// The time.
    public let timestamp: Date

    /// Creates a location.
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

/// The app's authorization to use the location.
public enum CLAuthorizationStatus: Int32, Sendable {
    /// The person was not asked.
    case notDetermined
    /// The phone does not allow it.
    case restricted
    /// No.
    case denied
    /// Yes, also in the background.
    case authorizedAlways
    /// Yes, while the app is in use.
    case authorizedWhenInUse
}

/// An error of the location manager.
public struct CLError: Error, Hashable, Sendable {
    /// The code of the error.
    public enum Code: Int, Sendable {
        /// The location is unknown now.
        case locationUnknown
        /// The person does not allow it.
        case denied
    }

    /// The code of the error.
    public let code: Code

    init(_ code: Code) { self.code = code }
}

/// Provides the phone's location.
open class CLLocationManager: NSObject {
    private let compass: SimulatedCompass

    /// Creates a manager.
    public override init() {
        compass = SimulatedSystem.required.part()
    }

    /// Notified of locations and of the authorization.
    weak open var delegate: (any CLLocationManagerDelegate)? {
        // "The system calls this method when the app creates the object's location manager instance."
        didSet { announce { $1.locationManagerDidChangeAuthorization($0) } }
    }

    /// The requested accuracy in metres.
    open var desiredAccuracy: CLLocationAccuracy = 0

    /// The app's authorization.
    open var authorizationStatus: CLAuthorizationStatus { compass.status }

    /// Asks the person once.
    open func requestWhenInUseAuthorization() {
        guard compass.prompt() else { return }
        announce { $1.locationManagerDidChangeAuthorization($0) }
    }

    /// Requests the phone's location once.
    ///
    /// The delegate gets the location or an error.
    open func requestLocation() {
        let answer = Carried(compass.find())
        announce { manager, delegate in
            switch answer.value {
            case .success(let location): delegate.locationManager(manager, didUpdateLocations: [location])
            case .failure(let error): delegate.locationManager(manager, didFailWithError: error)
            }
        }
    }

    /// Stops updates.
    open func stopUpdatingLocation() {}

    private func announce(_ tell: @escaping @Sendable (CLLocationManager, any CLLocationManagerDelegate) -> Void) {
        let manager = Carried(self)
        Task { @MainActor in
            if let delegate = manager.value.delegate { tell(manager.value, delegate) }
        }
    }
}

/// Notified of locations and of the authorization.
public protocol CLLocationManagerDelegate: NSObjectProtocol {
    /// The authorization has changed.
    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)

    /// The phone was located.
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])

    /// The phone could not be located.
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
