#if canImport(UIKit)
import ToastVoIP

func use() { ToastVoIP.setDelegate(nil) }
#endif
