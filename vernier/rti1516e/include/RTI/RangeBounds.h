// IEEE 1516.1-2010 C++ API, written for Vernier: bounds of a region in one dimension.
#ifndef RTI_RangeBounds_h
#define RTI_RangeBounds_h

#include <RTI/SpecificConfig.h>

namespace rti1516e
{
   class RTI_EXPORT RangeBounds
   {
   public:
      RangeBounds () : _lowerBound (0), _upperBound (0) {}
      RangeBounds (unsigned long lowerBound, unsigned long upperBound)
         : _lowerBound (lowerBound), _upperBound (upperBound)
      {
      }

      unsigned long getLowerBound () const { return _lowerBound; }
      unsigned long getUpperBound () const { return _upperBound; }
      void setLowerBound (unsigned long lowerBound) { _lowerBound = lowerBound; }
      void setUpperBound (unsigned long upperBound) { _upperBound = upperBound; }

   private:
      unsigned long _lowerBound;
      unsigned long _upperBound;
   };
}

#endif  // RTI_RangeBounds_h
